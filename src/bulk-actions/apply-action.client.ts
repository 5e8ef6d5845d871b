import type { EntityManager } from '@mikro-orm/postgresql';
import pMap from 'p-map';
import { bulkActionBudget } from '../../temporal.config.ts';
import type { Actor } from '../access/index.ts';
import { changeMark } from '../account-import/index.ts';
import { steerJobAsOperator } from '../import-jobs/index.ts';
import { databaseWithin } from '../platform/database/database.ts';
import type { Reply } from '../platform/http/route.ts';
import type { Log } from '../platform/log.ts';
import type { WorkRuns } from '../platform/temporal/start-run.ts';
import { isNotFound } from '../platform/temporal/temporal-faults.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { lockWorks, signalWork, type WorkItem } from '../platform/work-items/work-item.store.ts';
import { findRetry, type StuckItem } from '../stuck/index.ts';
import { cancelBatch, lookupWorkItem, retryDeferredNow, retryLookup } from '../supply-points/index.ts';
import { assignMessage, decideClaim, dismissMessage } from '../switching/index.ts';
import { tableOf } from '../foundation/table.ts';
import type { BulkActionKind, BulkOutcome } from '../vocabulary/bulk-actions.ts';
import type { NetworkOperatorName } from '../vocabulary/network-operators.ts';
import { isRefused, type Refused } from '../vocabulary/refusals.ts';
import type { BulkAction } from './bulk-action.entity.ts';
import type { HandledItem } from './bulk-action.store.ts';

export interface ApplyDeps {
  gateway: TemporalGateway;
  log: Log;
  leadDays: number;
}

/** A page of items in the transaction that also stores their outcomes. */
interface Page {
  em: EntityManager;
  action: BulkAction;
  items: readonly StuckItem[];
}

/** The outcomes of a page, and the runs to start after its commit. */
export interface AppliedPage {
  handled: HandledItem[];
  runs: WorkItem[];
}

/**
 * Applies the action to each item of a page with the function of the action on a single item. Changes in Postgres are part of the transaction.
 * A retry in Temporal is not, so attempts since the page was begun are not repeated.
 */
export async function applyPage(deps: ApplyDeps, page: Page): Promise<AppliedPage> {
  const [first] = page.items;
  const kind = page.action.action;
  if (kind === 'retry') {
    return first?.source === 'deferred' ? retryDeferred(page) : retryWork(deps, page);
  }
  const runs: WorkItem[] = [];
  const collected: WorkRuns = { start: async (works) => void runs.push(...(works as WorkItem[])) };
  const handled: HandledItem[] = [];
  for (const item of page.items) handled.push({ item, ...outcomeOf(await applyTo(deps, page, kind, item, collected)) });
  return { handled, runs };
}

/** Applies an action other than a retry in a savepoint, as if an operator had requested it. */
async function applyTo(
  { log, leadDays }: ApplyDeps,
  { em, action }: Page,
  kind: Exclude<BulkActionKind, 'retry'>,
  item: StuckItem,
  runs: WorkRuns,
): Promise<Reply | Refused> {
  const database = databaseWithin(em);
  const { reason } = action;
  const caller: Actor = { keyName: action.requestedBy, bulkActionId: action.id };
  const params = { supplier: item.importSupplier ?? '', external: item.externalAccountNumber ?? '' };
  const switching = { database, gateway: undefined, leadDays };
  const input = (item.input ?? {}) as Record<string, string>;
  switch (kind) {
    case 'skip':
      return changeMark({ database }, { params, body: { reason }, caller }, 'skip_mark.set');
    case 'dismiss':
      return dismissMessage(database, { id: item.id, caller }, { reason });
    case 'assign': {
      const to = { import_supplier: action.parameters.to_import_supplier, external_account_number: params.external };
      const point = input['point'] ?? undefined;
      const body = { ...to, reason, ...(point && { supply_point_identifier: point }) };
      return assignMessage(switching, { id: item.id, caller, log }, body);
    }
    case 'decide':
      return decideClaim(switching, { params, caller, log }, { decision: action.parameters.decision, reason });
    case 'cancel': {
      const order = { params: { job: input['jobId'] ?? '', batch: input['batchId'] ?? '' }, body: { reason }, caller };
      return item.kind === 'import-job'
        ? steerJobAsOperator({ database, runs }, 'cancel', order)
        : cancelBatch({ database, runs }, order);
    }
    case 'retry_lookups': {
      const lookup = { operator: input['networkOperator'] ?? '', identifier: input['identifier'] ?? '' };
      return retryLookup({ database, runs }, { params: lookup, body: { reason }, caller });
    }
  }
}

const GONE: ReadonlySet<string> = new Set(['not_found', 'account_not_found', 'import_job_not_found']);

function outcomeOf(answer: Reply | Refused): { outcome: BulkOutcome; code?: string } {
  if (!isRefused(answer)) return { outcome: 'done' };
  return GONE.has(answer.code) ? { outcome: 'gone' } : { outcome: 'refused', code: answer.code };
}

/** Makes deferred lookups due now. */
async function retryDeferred({ em, items }: Page): Promise<AppliedPage> {
  const byOperator = new Map<NetworkOperatorName, string[]>();
  for (const { id, party } of items) {
    const networkOperator = party as NetworkOperatorName;
    byOperator.set(networkOperator, [...(byOperator.get(networkOperator) ?? []), id]);
  }
  for (const [networkOperator, ids] of byOperator) await retryDeferredNow(em, networkOperator, ids);
  const runs = await signalWork(em, [...byOperator.keys()].map(lookupWorkItem));
  return { handled: items.map((item) => ({ item, outcome: 'done' })), runs };
}

const OUTCOMES = tableOf<BulkOutcome>({
  activity_reset: 'done',
  asked_again: 'done',
  workflow_started: 'done',
  running: 'in_progress',
  unchanged: 'unchanged',
});

/** Signals switches of pages together, and retries the runs of other work. */
async function retryWork(deps: ApplyDeps, { em, action, items }: Page): Promise<AppliedPage> {
  const paged = items.filter(isPaged);
  const existing = await lockWorks(
    em,
    paged.map(({ id }) => id),
  );
  const works = paged
    .filter(({ id }) => existing.has(id))
    .map(({ id, input }): WorkItem => ({ workflowId: id, kind: 'switch-supplier', input }));
  const runs = await signalWork(em, works);
  const retry = async (item: StuckItem): Promise<HandledItem> => {
    if (isPaged(item)) return { item, outcome: existing.has(item.id) ? 'done' : 'gone' };
    return { item, outcome: await retryRun(deps, em, item, action.pageBeganAt ?? undefined) };
  };
  return { handled: await pMap(items, retry, { concurrency: bulkActionBudget.callsAtOnce }), runs: runs.slice(0, 1) };
}

function isPaged({ kind, runsAlone }: StuckItem): boolean {
  return kind === 'switch-supplier' && !runsAlone;
}

async function retryRun(
  { gateway, log }: ApplyDeps,
  em: EntityManager,
  { id }: StuckItem,
  since: Date | undefined,
): Promise<BulkOutcome> {
  try {
    const retry = await findRetry({ database: databaseWithin(em), gateway }, log, id, since);
    await retry?.act();
    return retry === undefined ? 'gone' : (OUTCOMES.get(retry.outcome) ?? 'done');
  } catch (error) {
    // The run may end during its retry.
    if (isNotFound(error)) return 'gone';
    throw error;
  }
}
