/** The door of the search. */
export { findAnything } from './search.store.ts';
