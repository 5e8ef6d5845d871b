import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import type { CreationActivity } from '../../src/account-import/index.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import { askNextInstructions, type AskDeps } from '../../src/reconciliation/ask-vendors.client.ts';
import { endReconciliation, findReconciliation } from '../../src/reconciliation/reconciliation.store.ts';
import { reconcilePage } from '../../src/reconciliation/reconcile-page.store.ts';
import { reconciliationBudget } from '../../src/reconciliation/reconciliation-budget.rules.ts';
import type { ReconciliationProgress } from '../../src/reconciliation/reconciliation-progress.rules.ts';
import { onDatabase } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { beginStint, type Stint } from '../stint.ts';

export type ReconciliationActivities = ReturnType<typeof reconciliationActivities>;
export type ReconciliationSteps = ReturnType<typeof reconciliationSteps>;

export interface ReconciliationDeps extends Pick<AskDeps, 'vendors' | 'callsPerDay'> {
  database: Database;
  log: Log;
  /** Whether single creations are at work, to which it gives way. */
  activity: CreationActivity;
  /** The setting FIELD_HASH_KEY. */
  hashKey: Buffer | undefined;
  /** Of gangway; the certificate names it. */
  version: string;
}

/** Pause while an attempt that was given up still compares its page. */
const HELD_MS = 200;

/** Says that this stint can do nothing more on the reconciliation. */
const OVER = Symbol('over');

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
export function reconciliationSteps({
  database,
  log,
  version,
}: Pick<ReconciliationDeps, 'database' | 'log' | 'version'>) {
  return {
    /** Cancels a reconciliation, for who cancelled its run in Temporal's web UI. */
    cancelReconciliation: (id: string): Promise<void> =>
      onDatabase(log, 'a reconciliation cannot be cancelled by a fault of ours', () =>
        database.transaction((em) => endReconciliation(em, id, 'CANCELLED', version)),
      ),
  };
}

async function compareForAWhile(
  deps: ReconciliationDeps,
  id: string,
  cancelled: AbortSignal,
): Promise<ReconciliationProgress | null> {
  const { database, activity } = deps;
  const stint = beginStint({ maxPerSecond: undefined, activity, cancelled, budget: reconciliationBudget });
  while (!stint.isOver()) {
    const began = performance.now();
    const page = await database.transaction((em) => reconcilePage(em, id, stint.atOnce(), deps.hashKey));
    if (page === undefined) break;
    if (page === 'held') await restWhileHeld(cancelled);
    else if (page.keys > 0) await stint.done(page.keys, performance.now() - began);
    else if ((await askForAPage(deps, id, stint, cancelled)) === OVER) break;
  }
  const record = await findReconciliation(database, id);
  if (record === undefined) return null;
  const { accounts, businesses, different, vendors } = record.tally;
  const asked = Object.values(vendors ?? {}).reduce((sum, vendor) => sum + vendor.asked, 0);
  return { status: record.status, accounts, businesses, different, ...(asked === 0 ? {} : { asked }) };
}

/** All is compared: vendors are asked, and the reconciliation ends. */
async function askForAPage(
  deps: ReconciliationDeps,
  id: string,
  stint: Stint,
  cancelled: AbortSignal,
): Promise<typeof OVER | undefined> {
  const budget = reconciliationBudget.asking;
  const asking = askNextInstructions({ ...deps, budget }, id, () => stint.isOver(), cancelled);
  // The worker stops, or the run is cancelled: what the page has asked is asked again.
  const page = await asking.catch((error: unknown) => {
    if (cancelled.aborted) return undefined;
    throw error;
  });
  if (page === 'held') return restWhileHeld(cancelled);
  if (page?.isLast) {
    await deps.database.transaction((em) => endReconciliation(em, id, 'COMPLETED', deps.version));
  }
  return page === undefined || page.isLast ? OVER : undefined;
}

async function restWhileHeld(cancelled: AbortSignal): Promise<undefined> {
  await sleep(HELD_MS, undefined, { signal: cancelled }).catch(() => {});
}
