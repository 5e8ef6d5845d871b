import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type {
  BulkActionActivities,
  BulkActionSteps,
} from '../../activities/bulk-actions/work-bulk-action.activities.ts';
import { describeBulkAction } from '../../src/bulk-actions/bulk-progress.rules.ts';
import { bulkActionBudget, retryDetails, taskQueues, wakeSignalOfKind } from '../../temporal.config.ts';

/** Sent after the action was resumed or cancelled. */
const bulkActionChanged = defineSignal(wakeSignalOfKind['bulk-action'] as string);

const { workBulkAction } = proxyActivities<BulkActionActivities>({
  taskQueue: taskQueues.importJobs,
  ...bulkActionBudget.work,
});
const { cancelBulkAction } = proxyActivities<BulkActionSteps>(bulkActionBudget.step);

/**
 * Runs one bulk action to its end, a few seconds per activity, and shows the progress. The items are read from the database; the history
 * contains none. Cancelling this run cancels the action for the remaining items.
 * @returns the final status; `UNKNOWN` if the action does not exist
 */
export async function bulkAction(input: { bulkActionId: string }): Promise<string> {
  let isChanged = false;
  setHandler(bulkActionChanged, () => {
    isChanged = true;
  });
  setCurrentDetails(retryDetails);
  try {
    for (let rounds = 0; rounds < bulkActionBudget.roundsPerRun || isChanged; rounds += 1) {
      isChanged = false;
      const progress = await workBulkAction(input.bulkActionId);
      if (progress === null) return 'UNKNOWN';
      setCurrentDetails(describeBulkAction(progress));
      if (progress.status === 'PAUSED') await condition(() => isChanged, bulkActionBudget.pausedMs);
      else if (progress.status !== 'RUNNING') return progress.status;
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancelBulkAction(input.bulkActionId));
    throw error;
  }
  return continueAsNew<typeof bulkAction>(input);
}
