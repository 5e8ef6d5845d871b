import {
  condition,
  continueAsNew,
  defineSignal,
  patched,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type { SupplyPointActivities } from '../../activities/supply-points/steps.activities.ts';
import { networkOperatorTitles } from '../../src/vocabulary/network-operators.ts';
import { lookupBudget } from '../../temporal.config.ts';
import { deferredText, isLong, pagesOf, type PagesOptions } from './pages-under-way.workflow.ts';

/** Sent when a batch was accepted, lookups are to be retried, or the speed has changed. */
export const workArrived = defineSignal('workArrived');

/** Sent in the web UI: retry all deferred lookups of this network operator now. */
const retryDeferred = defineSignal('retryDeferred');

export interface LookupInput extends PagesOptions {
  /** Set on a run that continues an earlier one. */
  goesOn?: boolean;
}

const { startToCloseTimeout, ...stepRetry } = lookupBudget.step;
const steps = proxyActivities<SupplyPointActivities>({ startToCloseTimeout, retry: stepRetry });

/**
 * Runs the lookups of one network operator, a few pages concurrently, in rotation over the batches, while identifiers are pending. While
 * the network operator is down, the pages are pending activities with their last failure.
 */
export async function lookUpSupplyPoints(input: LookupInput): Promise<void> {
  let isWoken = false;
  // Since pages were last released: after a restore of the database, pages can be left over that no activity works on.
  let mayHaveLostPages = false;
  setHandler(workArrived, () => {
    isWoken = true;
    mayHaveLostPages = true;
  });
  let isRetryRequested = false;
  setHandler(retryDeferred, () => {
    isRetryRequested = true;
    isWoken = true;
  });
  const title = networkOperatorTitles[input.networkOperator];
  const about = `Asks ${title} for supply points. A pending activity with a failure means that ${title} is down or rejects our calls; the worker retries it automatically.`;
  setCurrentDetails(about);
  const pages = pagesOf(input, (deferred) =>
    setCurrentDetails(deferred ? `${about}\n\n${deferredText(deferred)}` : about),
  );
  if (!input.goesOn) await steps.beginLookUps(input.networkOperator);
  for (;;) {
    isWoken = false;
    if (isRetryRequested) {
      isRetryRequested = false;
      await steps.retryDeferred(input.networkOperator);
      pages.wake();
    }
    pages.open();
    await condition(() => isWoken || pages.isIdle() || pages.mayOpen() || pages.fault() !== undefined);
    const fault = pages.fault();
    if (fault) throw fault;
    if (isWoken) pages.wake();
    if (isLong(input) && pages.isIdle() && !isRetryRequested) {
      return continueAsNew<typeof lookUpSupplyPoints>({ ...input, goesOn: true });
    }
    if (!pages.isIdle() || !pages.foundNoLookups() || isWoken) continue;
    const waitSeconds = pages.waitSeconds();
    if (waitSeconds === null) {
      // Ends only if no identifier is pending; a signal that arrived meanwhile would be lost.
      if ((await steps.endLookUps(input.networkOperator)) && !isWoken) return;
      // Identifiers are pending that no page could take yet; try again soon.
      if (!isWoken) await condition(() => isWoken, '1s');
    } else if (mayHaveLostPages && patched('releases-lost-pages')) {
      mayHaveLostPages = false;
      await steps.beginLookUps(input.networkOperator);
    } else await condition(() => isWoken, Math.max(1, Math.ceil(waitSeconds)) * 1_000);
    pages.wake();
  }
}
