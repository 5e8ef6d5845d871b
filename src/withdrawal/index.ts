/** Public interface of withdrawal, which stages created accounts again. */
export { findUnfinishedWithdrawals } from './withdrawal.store.ts';
