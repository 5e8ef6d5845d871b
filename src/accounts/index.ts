/** The door of accounts: what is attached to an account needs its row. */
export { lockImportedAccount, type ImportedAccount } from './find-imported-account.store.ts';
