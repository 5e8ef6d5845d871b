/** Public interface of accounts, used by attachments. */
export { lockImportedAccount } from './find-imported-account.store.ts';
export { Account, AccountSupplyPoint, type AccountSupplyPointTable, type AccountTable } from './account.entity.ts';
