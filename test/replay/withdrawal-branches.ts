import type { WorkflowHandle } from '@temporalio/client';
import type { WithdrawalProgress } from '../../src/withdrawal/withdrawal-progress.rules.ts';

const running: WithdrawalProgress = { status: 'RUNNING', withdrawn: 500, kept: 0 };
const completed: WithdrawalProgress = { status: 'COMPLETED', withdrawn: 900, kept: 1 };

/** A branch of the workflow of withdrawals: the results of its rounds, and the actions on the run. */
interface WithdrawalBranch {
  rounds: readonly WithdrawalProgress[];
  meddle?(handle: WorkflowHandle): Promise<unknown>;
}

export const withdrawalBranches: Record<string, WithdrawalBranch> = {
  'withdraw.completed': { rounds: [running, running, completed] },
  'withdraw.cancelled': { rounds: [running], meddle: (handle) => handle.cancel() },
};
