/** Public interface of accounts, used by attachments. */
export { lockImportedAccount } from './find-imported-account.store.ts';
export type { AccountSupplyPointTable, AccountTable } from './account.entity.ts';
