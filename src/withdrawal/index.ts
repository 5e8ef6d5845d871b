/** Public interface of withdrawal, which stages created accounts again. */
export { withdrawAccountAsOperator, withdrawJob } from './create-withdrawal.route.ts';
export { readWithdrawal } from './find-withdrawal.route.ts';
export type { WithdrawalTables } from './withdrawal.entity.ts';
export { findUnfinishedWithdrawals } from './withdrawal.store.ts';
