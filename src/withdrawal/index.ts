/** Public interface of withdrawal, which stages created accounts again. */
export type { WithdrawalTables } from './withdrawal.entity.ts';
export { findUnfinishedWithdrawals } from './withdrawal.store.ts';
