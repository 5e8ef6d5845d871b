import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { CreationActivity } from '../../src/account-import/index.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import { endReconciliation, findReconciliation } from '../../src/reconciliation/reconciliation.store.ts';
import { reconcilePage } from '../../src/reconciliation/reconcile-page.store.ts';
import { reconciliationBudget } from '../../src/reconciliation/reconciliation-budget.rules.ts';
import type { ReconciliationProgress } from '../../src/reconciliation/reconciliation-progress.rules.ts';
import { onDatabase } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { beginStint } from '../stint.ts';

export type ReconciliationActivities = ReturnType<typeof reconciliationActivities>;
export type ReconciliationSteps = ReturnType<typeof reconciliationSteps>;

export interface ReconciliationDeps {
  database: Database;
  log: Log;
  /** Whether single creations are at work, to which it gives way. */
  activity: CreationActivity;
  /** Of gangway; the certificate names it. */
  version: string;
}

/** Pause while an attempt that was given up still compares its page. */
const HELD_MS = 200;

/** The activity of the queue of reconciliations. It may run twice, even at once: each page is counted once all the same. */
export function reconciliationActivities(deps: ReconciliationDeps) {
  return {
    /** Compares for some seconds, and tells how far it is. Null when there is no such reconciliation. */
    async reconcileAccounts(id: string): Promise<ReconciliationProgress | null> {
      const { cancellationSignal: cancelled } = Context.current();
      return withHeartbeat(() =>
        onDatabase(deps.log, 'a reconciliation cannot go on', () => compareForAWhile(deps, id, cancelled), {
          reconciliationId: id,
        }),
      );
    },
  };
}

/** Short steps beside the pages. */
export function reconciliationSteps({ database, log, version }: Omit<ReconciliationDeps, 'activity'>) {
  return {
    /** Cancels a reconciliation, for who cancelled its run in Temporal's web UI. */
    cancelReconciliation: (id: string): Promise<void> =>
      onDatabase(log, 'a reconciliation cannot be cancelled by a fault of ours', () =>
        database.transaction((em) => endReconciliation(em, id, 'CANCELLED', version)),
      ),
  };
}

async function compareForAWhile(
  { database, activity, version }: ReconciliationDeps,
  id: string,
  cancelled: AbortSignal,
): Promise<ReconciliationProgress | null> {
  const stint = beginStint({ maxPerSecond: undefined, activity, cancelled, budget: reconciliationBudget });
  while (!stint.isOver()) {
    const began = performance.now();
    const page = await database.transaction((em) => reconcilePage(em, id, stint.atOnce()));
    if (page === undefined) break;
    if (page === 'held') {
      await sleep(HELD_MS, undefined, { signal: cancelled }).catch(() => {});
      continue;
    }
    if (page.keys === 0) {
      await database.transaction((em) => endReconciliation(em, id, 'COMPLETED', version));
      break;
    }
    await stint.done(page.keys, performance.now() - began);
  }
  const record = await findReconciliation(database, id);
  if (record === undefined) return null;
  const { accounts, businesses, different } = record.tally;
  return { status: record.status, accounts, businesses, different };
}
