/** Public interface of accounts, for attachments. */
export { lockImportedAccount } from './find-imported-account.store.ts';
export type { AccountSupplyPointTable } from './account-supply-point.entity.ts';
export type { AccountTable } from './account.entity.ts';
