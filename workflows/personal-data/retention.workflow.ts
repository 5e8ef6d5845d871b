import {
  CancellationScope,
  continueAsNew,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
} from '@temporalio/workflow';
import type { RetentionActivities, RetentionSteps } from '../../activities/personal-data/delete-expired.activities.ts';
import { retentionBudget, retryDetails, taskQueues } from '../../temporal.config.ts';
import { describeRetention } from '../../src/personal-data/expire/retention.rules.ts';

const { deleteExpired } = proxyActivities<RetentionActivities>({
  taskQueue: taskQueues.reconciliation,
  ...retentionBudget.work,
});
const { endRetention } = proxyActivities<RetentionSteps>(retentionBudget.step);

/**
 * Deletes expired data in one night, a few seconds per activity, and shows the counts, which are stored in the database. Cancelling
 * this run ends it for the night.
 * @returns how it ended
 */
export async function retention(): Promise<string> {
  setCurrentDetails(retryDetails);
  try {
    for (let rounds = 0; rounds < retentionBudget.roundsPerRun; rounds += 1) {
      const progress = await deleteExpired();
      setCurrentDetails(describeRetention(progress));
      if (progress.state === 'RUNNING') continue;
      await endRetention(progress.state);
      return progress.state;
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => endRetention('CANCELLED'));
    throw error;
  }
  return continueAsNew<typeof retention>();
}
