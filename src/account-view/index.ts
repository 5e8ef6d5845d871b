/** The door of the account view: all that is stored of an account, and what is to be said about it. */
export { findAccountWarnings, mayWarnSql } from './find-account-warnings.store.ts';
