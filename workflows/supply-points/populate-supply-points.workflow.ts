import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  getExternalWorkflowHandle,
  isCancellation,
  log,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { SupplyPointActivities } from '../../activities/supply-points/steps.activities.ts';
import type { NetworkOperatorName } from '../../src/vocabulary/network-operators.ts';
import { lookupBudget, workflowIds } from '../../temporal.config.ts';
import { workArrived } from './lookup-supply-points.workflow.ts';
import { deferredText } from './pages-under-way.workflow.ts';

/** Sent when the batch was cancelled or retried. */
export const batchMoved = defineSignal('batchMoved');

/** Sent in the web UI: retry the deferred lookups of this batch now. */
const retryDeferred = defineSignal('retryDeferred');

const { startToCloseTimeout, ...retry } = lookupBudget.step;
const steps = proxyActivities<SupplyPointActivities>({ startToCloseTimeout, retry });

/**
 * Watches one batch until it has ended. The web UI shows its progress, and cancelling this run cancels the batch.
 * The lookups themselves are done by one run per network operator.
 */
export async function populateSupplyPoints(input: { batchId: string }): Promise<string> {
  let isMoved = false;
  setHandler(batchMoved, () => {
    isMoved = true;
  });
  let isRetryRequested = false;
  setHandler(retryDeferred, () => {
    isRetryRequested = true;
    isMoved = true;
  });
  const { checksPerRun } = lookupBudget.watch;
  try {
    for (let checks = 0; checks < checksPerRun; checks += 1) {
      isMoved = false;
      if (isRetryRequested) {
        isRetryRequested = false;
        await wake(await steps.retryDeferredOfBatch(input.batchId));
      }
      const progress = await steps.watchBatch(input.batchId);
      if (progress === null) return 'UNKNOWN';
      setCurrentDetails(
        `${progress.imported} imported, ${progress.pending} pending, ${progress.errored} errored of ${progress.accepted} supply points.` +
          (progress.deferred ? `\n\nOf those pending, ${deferredText(progress.deferred)}` : ''),
      );
      if (progress.status !== 'IN_PROGRESS') return progress.status;
      await condition(() => isMoved, pauseSeconds(checks, progress.openBatches) * 1_000);
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => steps.cancelBatch(input.batchId));
    throw error;
  }
  return continueAsNew<typeof populateSupplyPoints>(input);
}

/** Wakes runs of network operators. The dispatcher starts a run that has ended. */
async function wake(networkOperators: readonly NetworkOperatorName[]): Promise<void> {
  for (const networkOperator of networkOperators) {
    await getExternalWorkflowHandle(workflowIds.lookUpSupplyPoints(networkOperator))
      .signal(workArrived)
      .catch((error: unknown) => log.info('the lookups are not running', { networkOperator, error: String(error) }));
  }
}

/** @param open undefined in older histories */
function pauseSeconds(checks: number, open = 0): number {
  const { shortestSeconds, longestSeconds, secondsForEachOpen, pauseMaxSeconds } = lookupBudget.watch;
  const seconds = Math.min(shortestSeconds * 1.5 ** checks, longestSeconds);
  return Math.min(Math.max(seconds, open * secondsForEachOpen), pauseMaxSeconds);
}
