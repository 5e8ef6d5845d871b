/** Public interface of accounts, used by attachments. */
export { lockImportedAccount, lockImportedAccounts } from './find-imported-account.store.ts';
export { findBeingWithdrawn, refuseMissingAccount } from './find-imported-account.store.ts';
export { withdrawnAccountsSql } from './find-imported-account.store.ts';
export {
  Account,
  AccountSupplyPoint,
  type AccountSupplyPointTable,
  type AccountTable,
  type AccountTables,
  WithdrawnAccount,
} from './account.entity.ts';
