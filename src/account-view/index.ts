/** The door of the account view: all that is stored of an account, and what is to be said about it. */
export { readAccount, readRevision } from './read-account.store.ts';
export { findAccountWarnings, mayWarnSql } from './find-account-warnings.store.ts';
export { accountFilters, readAccountFilter } from './account-filter.validation.ts';
export { listAccounts } from './list-accounts.store.ts';
export { filterInFrance } from './account-filter.rules.ts';
