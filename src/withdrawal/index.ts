/** Public interface of withdrawal, which stages created accounts again. */
export { withdrawAccountAsOperator, withdrawJob, withdrawWave } from './create-withdrawal.route.ts';
export { readWithdrawal } from './find-withdrawal.route.ts';
export { readWithdrawalList } from './find-withdrawal.route.ts';
export type { WithdrawalTables } from './withdrawal.entity.ts';
export { findUnfinishedWithdrawals, findWithdrawalsOfWave } from './withdrawal.store.ts';
