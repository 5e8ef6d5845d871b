/** Public interface of the search. */
export { findAnything } from './search.store.ts';
export { isPlainNumber } from './search.rules.ts';
