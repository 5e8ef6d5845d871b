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
import type { SupplyPointActivities } from '../../activities/supply-points/index.ts';
import { lookUpBudget } from '../../temporal.config.ts';

/** Sent when the batch was cancelled or retried: look at it now. */
export const batchMoved = defineSignal('batchMoved');

const { startToCloseTimeout, ...retry } = lookUpBudget.step;
const steps = proxyActivities<SupplyPointActivities>({ startToCloseTimeout, retry });

/**
 * Watches one batch until it has ended: its progress stands in the web UI, and cancelling this run cancels the batch.
 * The look-ups themselves are done by one run per network operator.
 */
export async function populateSupplyPoints(input: { batchId: string }): Promise<string> {
  let isMoved = false;
  setHandler(batchMoved, () => {
    isMoved = true;
  });
  const { looksPerRun } = lookUpBudget.watch;
  try {
    for (let looks = 0; looks < looksPerRun; looks += 1) {
      isMoved = false;
      const progress = await steps.watchBatch(input.batchId);
      if (progress === null) return 'UNKNOWN';
      setCurrentDetails(
        `${progress.imported} imported, ${progress.pending} pending, ${progress.errored} errored of ${progress.accepted} supply points.`,
      );
      if (progress.status !== 'IN_PROGRESS') return progress.status;
      await condition(() => isMoved, pauseSeconds(looks, progress.openBatches) * 1_000);
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => steps.cancelBatch(input.batchId));
    throw error;
  }
  return continueAsNew<typeof populateSupplyPoints>(input);
}

/** @param open undefined in histories of before it was told */
function pauseSeconds(looks: number, open = 0): number {
  const { shortestSeconds, longestSeconds, secondsForEachOpen, pauseMaxSeconds } = lookUpBudget.watch;
  const alone = Math.min(shortestSeconds * 1.5 ** looks, longestSeconds);
  return Math.min(Math.max(alone, open * secondsForEachOpen), pauseMaxSeconds);
}
