/** Public interface of the overview. */
export { createOverview } from './read-overview.client.ts';
