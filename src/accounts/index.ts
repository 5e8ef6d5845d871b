/** Public interface of accounts, used by attachments. */
export { lockImportedAccount, lockImportedAccounts } from './find-imported-account.store.ts';
export { findBeingWithdrawn, refuseMissingAccount } from './missing-account.store.ts';
export { withdrawnAccountsSql } from './withdrawn-accounts.store.ts';
export {
  Account,
  AccountSupplyPoint,
  type AccountSupplyPointTable,
  type AccountTable,
  type AccountTables,
  WithdrawnAccount,
} from './account.entity.ts';
