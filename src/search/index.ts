/** Public interface of the search. */
export { describeAccounts, findCompanyNames, type FoundAccount } from './found-accounts.store.ts';
export { findAnything } from './search.store.ts';
export { isPlainNumber } from './search.rules.ts';
