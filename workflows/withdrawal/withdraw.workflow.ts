import {
  CancellationScope,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import type {
  WithdrawalActivities,
  WithdrawalSteps,
} from '../../activities/withdrawal/withdraw-accounts.activities.ts';
import { describeWithdrawal } from '../../src/withdrawal/withdrawal-progress.rules.ts';
import { retryDetails, taskQueues, withdrawalBudget } from '../../temporal.config.ts';

const { withdrawAccounts } = proxyActivities<WithdrawalActivities>({
  taskQueue: taskQueues.importJobs,
  ...withdrawalBudget.work,
});
const { cancelWithdrawal } = proxyActivities<WithdrawalSteps>(withdrawalBudget.step);

/**
 * Runs one withdrawal to its end, a few seconds per activity, and shows the progress. The counts are stored in the database; the history
 * contains no account data. Cancelling this run cancels the withdrawal: the remaining accounts are kept.
 * @returns the final status; `UNKNOWN` if the withdrawal does not exist
 */
export async function withdraw(input: { withdrawalId: string; importSupplier: string }): Promise<string> {
  const { withdrawalId } = input;
  setCurrentDetails(retryDetails);
  try {
    for (let rounds = 0; rounds < withdrawalBudget.roundsPerRun; rounds += 1) {
      const progress = await withdrawAccounts(withdrawalId);
      if (progress === null) return 'UNKNOWN';
      setCurrentDetails(describeWithdrawal(progress));
      if (progress.status !== 'RUNNING') return progress.status;
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancelWithdrawal(withdrawalId));
    throw error;
  }
  return continueAsNew<typeof withdraw>(input);
}
