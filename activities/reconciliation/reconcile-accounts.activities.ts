import { setTimeout as sleep } from 'node:timers/promises';
import { Context } from '@temporalio/activity';
import { bulkhead } from 'cockatiel';
import type { CreationActivity } from '../../src/account-import/index.ts';
import { citeManifests } from '../../src/import-jobs/index.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import { countAnswered, countPendingQueries } from '../../src/reconciliation/queried-instructions.rules.ts';
import { openVendorQueries, type VendorQueryDeps } from '../../src/reconciliation/query-vendors.client.ts';
import {
  endReconciliation,
  findReconciliation,
  type ReconciliationRecord,
} from '../../src/reconciliation/reconciliation.store.ts';
import { reconcilePage } from '../../src/reconciliation/reconcile-page.store.ts';
import { reconciliationBudget } from '../../temporal.config.ts';
import type { ReconciliationProgress } from '../../src/reconciliation/reconciliation-progress.rules.ts';
import { onDatabase } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';
import { beginTimeSlice } from '../../src/platform/time-slice.ts';

export type ReconciliationActivities = ReturnType<typeof reconciliationActivities>;
export type ReconciliationSteps = ReturnType<typeof reconciliationSteps>;

export interface ReconciliationDeps extends Pick<VendorQueryDeps, 'vendors' | 'callsPerDay'> {
  database: Database;
  log: Log;
  /** Single creations, which have priority. */
  activity: CreationActivity;
  /** The setting FIELD_HASH_KEY. */
  hashKey: Buffer | undefined;
  /** The version of gangway, for the certificate. */
  version: string;
}

/** Wait for an abandoned attempt that still compares its page. */
const PAGE_LOCKED_MS = 200;

/** The activity of the queue of reconciliations. Concurrent runs count each page once. */
export function reconciliationActivities(deps: ReconciliationDeps) {
  return {
    /** Compares accounts and queries vendors for some seconds, and returns the progress. Null if the reconciliation does not exist. */
    async reconcileAccounts(id: string): Promise<ReconciliationProgress | null> {
      const { cancellationSignal: cancelled } = Context.current();
      return withHeartbeat(() =>
        onDatabase(deps.log, 'reconciliation not continued', () => compareForAWhile(deps, id, cancelled), {
          reconciliationId: id,
        }),
      );
    },
  };
}

/** Short steps of reconciliations. */
export function reconciliationSteps({
  database,
  log,
  version,
}: Pick<ReconciliationDeps, 'database' | 'log' | 'version'>) {
  return {
    /** Cancels a reconciliation after its run was cancelled in Temporal's web UI. */
    cancelReconciliation: (id: string): Promise<void> =>
      onDatabase(log, 'reconciliation not cancelled', () =>
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
  const slice = beginTimeSlice({ maxPerSecond: undefined, activity, cancelled, budget: reconciliationBudget });
  // The comparison and the responses of vendors update the same row.
  const mutex = bulkhead(1, Infinity);
  const keep: VendorQueryDeps['keep'] = (work) => mutex.execute(() => database.transaction(work));
  const budget = reconciliationBudget.queries;
  const queries = openVendorQueries({ ...deps, budget, keep }, () => slice.isOver(), cancelled);
  try {
    // The comparison continues while the last queries are answered.
    while (!cancelled.aborted && (!slice.isOver() || queries.isBusy())) {
      const began = performance.now();
      const page = await keep((em) => reconcilePage(em, id, slice.atOnce(), deps.hashKey));
      if (page === undefined) break;
      if (page === 'locked') {
        await waitWhileLocked(cancelled);
        continue;
      }
      const hasQuestions = queries.continue(page.record);
      if (page.keys > 0) await slice.done(page.keys, performance.now() - began);
      else if (hasQuestions) await queries.nextPage();
      else {
        const { record: compared } = page;
        await keep(async (em) =>
          endReconciliation(em, id, 'COMPLETED', deps.version, await citeManifests(em, compared)),
        );
        break;
      }
    }
  } finally {
    await queries.settle();
  }
  const record = await findReconciliation(database, id);
  return record === undefined ? null : progressOf(record);
}

function progressOf({ status, tally }: ReconciliationRecord): ReconciliationProgress {
  const { accounts, businesses, different } = tally;
  const [asked, toAsk] = [countAnswered(tally), countPendingQueries(tally)];
  return { status, accounts, businesses, different, ...(asked + toAsk === 0 ? {} : { asked, toAsk }) };
}

async function waitWhileLocked(cancelled: AbortSignal): Promise<void> {
  await sleep(PAGE_LOCKED_MS, undefined, { signal: cancelled }).catch(() => {});
}
