/** Public interface of manifests: the totals that a source system states, and those of received records. */
export { recordOf, runningTotals } from './running-totals.validation.ts';
