import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { CreationActivity } from '../../src/account-import/index.ts';
import { endBulkAction, findBulkAction } from '../../src/bulk-actions/bulk-action.store.ts';
import type { BulkProgress } from '../../src/bulk-actions/bulk-progress.rules.ts';
import { workPage, type WorkDeps } from '../../src/bulk-actions/work-page.store.ts';
import { beginTimeSlice } from '../../src/platform/time-slice.ts';
import { bulkActionBudget } from '../../temporal.config.ts';
import { onDatabase } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';

export type BulkActionActivities = ReturnType<typeof bulkActionActivities>;
export type BulkActionSteps = ReturnType<typeof bulkActionSteps>;

/** Wait for another worker that handles a page. */
const LOCKED_MS = 200;

export interface BulkActionDeps extends WorkDeps {
  /** Single creations, which have priority. */
  activity: CreationActivity;
}

/** The activity of bulk actions, on the queue of import jobs. Concurrent runs handle each item once. */
export function bulkActionActivities(deps: BulkActionDeps) {
  return {
    /** Handles items for some seconds, and returns the progress. Null if the action does not exist. */
    async workBulkAction(id: string): Promise<BulkProgress | null> {
      const { cancellationSignal: cancelled } = Context.current();
      return withHeartbeat(() =>
        onDatabase(deps.log, 'bulk action not continued', () => workForAWhile(deps, id, cancelled), {
          bulkActionId: id,
        }),
      );
    },
  };
}

/** Short steps of bulk actions. */
export function bulkActionSteps({ database, log }: Pick<BulkActionDeps, 'database' | 'log'>) {
  return {
    /** Cancels a bulk action after its run was cancelled in Temporal's web UI. Handled items keep their outcomes. */
    cancelBulkAction: (id: string): Promise<void> =>
      onDatabase(log, 'bulk action not cancelled', () =>
        database.transaction((em) => endBulkAction(em, id, 'CANCELLED')),
      ),
  };
}

async function workForAWhile(deps: BulkActionDeps, id: string, cancelled: AbortSignal): Promise<BulkProgress | null> {
  const { database, activity } = deps;
  const slice = beginTimeSlice({ maxPerSecond: undefined, activity, cancelled, budget: bulkActionBudget });
  while (!slice.isOver()) {
    const began = performance.now();
    const step = await workPage(deps, id, slice.atOnce());
    if (step === 'stopped') break;
    if (step === 'locked') await sleep(LOCKED_MS, undefined, { signal: cancelled }).catch(() => {});
    else await slice.done(step.items, performance.now() - began);
  }
  const found = await findBulkAction(database, id);
  return found === undefined ? null : { status: found.status, matched: found.matched, handled: found.handled };
}
