import {
  CancellationScope,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import type {
  ReconciliationActivities,
  ReconciliationSteps,
} from '../../activities/reconciliation/reconcile-accounts.activities.ts';
import { reconciliationBudget, retryDetails, taskQueues } from '../../temporal.config.ts';
import { describeReconciliation } from '../../src/reconciliation/reconciliation-progress.rules.ts';

const { reconcileAccounts } = proxyActivities<ReconciliationActivities>({
  taskQueue: taskQueues.reconciliation,
  ...reconciliationBudget.work,
});
const { cancelReconciliation } = proxyActivities<ReconciliationSteps>(reconciliationBudget.step);

/**
 * Runs one reconciliation to its end, a few seconds per activity, and shows the progress. The counts are stored in the database; the
 * history contains no account data. Cancelling this run cancels the reconciliation.
 * @returns the final status; `UNKNOWN` if the reconciliation does not exist
 */
export async function reconcile(input: { reconciliationId: string; importSupplier: string }): Promise<string> {
  const { reconciliationId } = input;
  setCurrentDetails(retryDetails);
  try {
    for (let rounds = 0; rounds < reconciliationBudget.roundsPerRun; rounds += 1) {
      const progress = await reconcileAccounts(reconciliationId);
      if (progress === null) return 'UNKNOWN';
      setCurrentDetails(describeReconciliation(progress));
      if (progress.status !== 'RUNNING') return progress.status;
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancelReconciliation(reconciliationId));
    throw error;
  }
  return continueAsNew<typeof reconcile>(input);
}
