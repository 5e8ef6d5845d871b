/** Public interface of the account view: all stored data of an account, and its warnings. */
export { readAccount, readRevision } from './read-account.client.ts';
export { findAccountWarnings, mayWarnSql } from './find-account-warnings.store.ts';
export { accountFilters, readAccountFilter, listAccounts } from './list-accounts.store.ts';
export { filterInFrance } from './account-filter.rules.ts';
