import { activityInfo } from '@temporalio/activity';
import type { WorkflowHandle } from '@temporalio/client';
import type { LookupActivities } from '../../activities/supply-points/lookup-page.activities.ts';
import type { SupplyPointActivities } from '../../activities/supply-points/steps.activities.ts';
import { lookupBudget } from '../../temporal.config.ts';
import { until } from '../support/until.ts';
import type { LookupFakes } from '../workflows/lookup-fakes.ts';
import { failed } from './stand-in-failure.ts';

const pages = (count: number): LookupActivities['lookUpPage'] => {
  let left = count;
  return async () => {
    left -= 1;
    return left >= 0 ? { kind: 'worked' } : { kind: 'idle', waitSeconds: null };
  };
};
const steps: SupplyPointActivities = {
  beginLookUps: async () => {},
  endLookUps: async () => true,
  cancelBatch: async () => null,
  retryDeferred: async () => {},
  retryDeferredOfBatch: async () => [],
  watchBatch: async () => ({ status: 'COMPLETED', accepted: 2, imported: 2, pending: 0, errored: 0, openBatches: 0 }),
};
let looks = 0;
let sleepy = 0;
/** A branch of the lookups: its activities, and the run. */
interface LookupBranch {
  activities: Partial<LookupActivities & SupplyPointActivities>;
  run(fakes: LookupFakes): Promise<WorkflowHandle>;
}
/** The run is woken while all pages are in progress, which then return idle because they read before the signal. */
function wokenBranch(): LookupBranch {
  const told = Promise.withResolvers<void>();
  let count = 0;
  return {
    activities: {
      ...steps,
      lookUpPage: async () => {
        count += 1;
        if (count > lookupBudget.pagesAtOnce) return { kind: 'idle', waitSeconds: null };
        await told.promise;
        return { kind: 'idle', waitSeconds: 1 };
      },
    },
    run: async (fakes) => {
      const run = await fakes.startLookups();
      await until(() => count === lookupBudget.pagesAtOnce);
      await run.signal('workArrived');
      const isRead = async () =>
        (await run.fetchHistory()).events?.some(({ workflowTaskCompletedEventAttributes: completed }, index, events) =>
          Boolean(completed && events.slice(0, index).some((event) => event.workflowExecutionSignaledEventAttributes)),
        ) === true;
      await until(isRead);
      told.resolve();
      return run;
    },
  };
}

/** Pages until no lookup is due, over several runs, and a watched batch. */
export const lookupBranches: Record<string, LookupBranch> = {
  'look-up-supply-points.through': {
    activities: { ...steps, lookUpPage: pages(6) },
    run: (fakes) => fakes.startLookups(),
  },
  'look-up-supply-points.first-run': {
    activities: { ...steps, lookUpPage: pages(40) },
    run: async (fakes) => {
      const { workflowId, firstExecutionRunId } = await fakes.startLookups({ eventsPerRun: 60 });
      return fakes.client.workflow.getHandle(workflowId, firstExecutionRunId);
    },
  },
  'look-up-supply-points.goes-on': {
    activities: { ...steps, lookUpPage: pages(40) },
    run: (fakes) => fakes.startLookups({ eventsPerRun: 60 }),
  },
  'look-up-supply-points.rests': {
    activities: {
      ...steps,
      lookUpPage: async () => {
        looks += 1;
        return looks > 8 ? { kind: 'idle', waitSeconds: null } : { kind: 'idle', waitSeconds: 1 };
      },
    },
    run: (fakes) => fakes.startLookups(),
  },
  'look-up-supply-points.operator-down': {
    activities: {
      ...steps,
      lookUpPage: async () => {
        if (activityInfo().attempt < 2) throw failed('vendor_unavailable');
        return { kind: 'idle', waitSeconds: null };
      },
    },
    run: (fakes) => fakes.startLookups(),
  },
  // Recorded before the patch, when the run slept; with `patched` it opens a page again.
  'look-up-supply-points.woken': wokenBranch(),
  'look-up-supply-points.looks-again': wokenBranch(),
  // When it is woken, it releases lost pages before it sleeps.
  'look-up-supply-points.releases': {
    activities: {
      ...steps,
      lookUpPage: async () => {
        sleepy += 1;
        return { kind: 'idle', waitSeconds: sleepy > 2 * lookupBudget.pagesAtOnce ? null : 2 };
      },
    },
    run: async (fakes) => {
      const run = await fakes.startLookups();
      await until(() => sleepy === lookupBudget.pagesAtOnce);
      await run.signal('workArrived');
      return run;
    },
  },
  'populate-supply-points.completed': { activities: steps, run: (fakes) => fakes.startBatch() },
};
