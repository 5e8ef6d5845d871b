import type { WithdrawalStatus } from '../vocabulary/withdrawals.ts';

/** The progress of a withdrawal, for its run. */
export interface WithdrawalProgress {
  status: WithdrawalStatus;
  withdrawn: number;
  kept: number;
}

/** Describes a withdrawal for the web UI of Temporal. */
export function describeWithdrawal({ status, withdrawn, kept }: WithdrawalProgress): string {
  const done = `${withdrawn} accounts withdrawn, ${kept} kept because of obstacles.`;
  if (status === 'RUNNING') return `${done} Nothing is to be done.`;
  return status === 'COMPLETED' ? done : `Cancelled. ${done}`;
}
