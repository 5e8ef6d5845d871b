import { patched, proxyActivities, uuid4, workflowInfo } from '@temporalio/workflow';
import type { LookupActivities } from '../../activities/supply-points/lookup-page.activities.ts';
import type { PageResult } from '../../activities/supply-points/work-off-page.activities.ts';
import type { DeferredSummary } from '../../src/supply-points/populate/population-batch.rules.ts';
import type { NetworkOperatorName } from '../../src/vocabulary/network-operators.ts';
import { type IdentifierBudget, lookupBudget, lookupQueues } from '../../temporal.config.ts';

/** The network operator and the budget of pages. */
export interface PagesOptions {
  networkOperator: NetworkOperatorName;
  /** For tests, which cannot wait for hours. */
  identifier?: IdentifierBudget;
  /** Number of events after which the run continues as a new one. */
  eventsPerRun?: number;
}

/** Returns whether a run must continue as a new one. */
export function isLong({ eventsPerRun = lookupBudget.eventsPerRun }: PagesOptions): boolean {
  return workflowInfo().historyLength >= eventsPerRun || workflowInfo().continueAsNewSuggested;
}

/**
 * The pages in progress. After a page without lookups no new page starts until the run is woken.
 * @param onDeferred receives the deferred lookups of the network operator after each page
 */
export function pagesOf(input: PagesOptions, onDeferred: (deferred: PageResult['deferred']) => void) {
  const { startToCloseTimeout: pageTimeout, heartbeatTimeout, ...retry } = lookupBudget.page;
  const { lookUpPage } = proxyActivities<LookupActivities>({
    taskQueue: lookupQueues[input.networkOperator],
    startToCloseTimeout: pageTimeout,
    heartbeatTimeout,
    retry,
  });
  let underWay = 0;
  let foundNoLookups = false;
  let wakes = 0;
  let wait: number | null = null;
  let failed: Error | undefined;

  const work = async (): Promise<void> => {
    underWay += 1;
    const wakesBefore = wakes;
    try {
      const result = await lookUpPage({
        pageId: uuid4(),
        networkOperator: input.networkOperator,
        size: lookupBudget.pageSize,
        callsAtOnce: lookupBudget.callsAtOnce,
        seconds: lookupBudget.pageSeconds,
        identifier: input.identifier ?? lookupBudget.identifier,
      });
      // A page that started before the run was woken may have missed new lookups.
      const isOutdated = wakes > wakesBefore && patched('wakes-outlast-pages');
      onDeferred(result.deferred);
      foundNoLookups = result.kind === 'idle' && !isOutdated;
      if (result.kind === 'idle') wait = result.waitSeconds;
    } catch (error) {
      failed = error as Error;
    } finally {
      underWay -= 1;
    }
  };
  const mayOpen = () => !foundNoLookups && underWay < lookupBudget.pagesAtOnce && !isLong(input);
  return {
    open: () => {
      while (mayOpen()) void work();
    },
    mayOpen,
    isIdle: () => underWay === 0,
    foundNoLookups: () => foundNoLookups,
    wake: () => {
      foundNoLookups = false;
      wakes += 1;
    },
    waitSeconds: () => wait,
    fault: () => failed,
  };
}

/** The sentence of a run's details about deferred lookups. */
export function deferredText({ count, nextAttemptAt, cause }: DeferredSummary): string {
  return `${count} deferred: each failed alone (most often ${cause}), next attempt at ${nextAttemptAt}. To retry all of them now, send the signal "retryDeferred" to this run.`;
}
