import { LockMode, raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../temporal.config.ts';
import { nameOfActor, recordAudit, type Actor } from '../access/index.ts';
import { keysetPages } from '../foundation/keyset-pages.ts';
import { emOf, kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { UnfinishedState } from '../platform/work-items/compared-work.store.ts';
import { completeWork, enqueueWork, workItemIdSql, type WorkItem } from '../platform/work-items/work-item.store.ts';
import { countStuckItems, findStuckItems, type StuckFilter, type StuckItem } from '../stuck/index.ts';
import type { BulkActionKind, BulkOutcome } from '../vocabulary/bulk-actions.ts';
import { BulkAction, BulkActionItem, type BulkActionTables } from './bulk-action.entity.ts';
import { viewOf, scopeOf } from './bulk-action.rules.ts';
import { type BulkParameters, type BulkPreview, SAMPLE_SIZE } from './bulk-action.schema.ts';
import type { Database } from '../platform/database/database.ts';
import type { Settings } from '../platform/settings.ts';

/** The matching items of an action. */
export interface Matches {
  count: number;
  oldest: Date | null;
}

/** Counts the items that match now. */
export async function countMatches(on: Queryable, action: BulkActionKind, filter: StuckFilter): Promise<Matches> {
  const { sources, kinds } = scopeOf[action];
  let matches: Matches = { count: 0, oldest: null };
  for (const source of sources) {
    const { count, oldest } = await countStuckItems(on, source, { ...filter, kinds });
    const isOlder = oldest !== null && (matches.oldest === null || oldest < matches.oldest);
    matches = { count: matches.count + count, oldest: isOlder ? oldest : matches.oldest };
  }
  return matches;
}

/** Counts the items that match the filter of an action still: those that a retry did not help, or that were not changed. */
export async function countRemaining(on: Queryable, stored: BulkAction): Promise<number> {
  const { action, filter, createdAt } = stored;
  const { count } = await countMatches(on, action, { before: createdAt.toISOString(), ...filter });
  return count;
}

/** Counts the matching items, with the oldest ones as a sample. */
export async function previewBulkAction(
  on: Queryable,
  action: BulkActionKind,
  filter: StuckFilter,
): Promise<BulkPreview> {
  const { sources, kinds } = scopeOf[action];
  const { count, oldest } = await countMatches(on, action, filter);
  const sample: StuckItem[] = [];
  for (const source of sources) {
    const limit = SAMPLE_SIZE - sample.length;
    sample.push(...(await findStuckItems(on, source, { ...filter, kinds }, { limit })).items);
  }
  return {
    matched: count,
    oldest_at: oldest?.toISOString() ?? null,
    sample: sample.map((one) => ({
      item: nameOfItem(one),
      cause: one.cause,
      party: one.party,
      import_supplier: one.importSupplier,
      external_account_number: one.externalAccountNumber,
      stuck_since: new Date(one.since).toISOString(),
    })),
  };
}

/** The name of an item in results: a workflow id, a message id, an account number, or a network operator with an identifier. */
function nameOfItem({ id, source, input }: StuckItem): string {
  if (source !== 'deferred' && source !== 'errored') return id;
  const { networkOperator, identifier } = input as { networkOperator: string; identifier: string };
  return `${networkOperator}/${identifier}`;
}

interface NewBulkAction {
  matched: number;
  action: BulkActionKind;
  filter: StuckFilter;
  parameters: BulkParameters;
  reason: string;
}

/** Starts a bulk action, with its audit entry. @param em in a transaction */
export async function startBulkAction(em: EntityManager, wanted: NewBulkAction, actor: Actor): Promise<BulkAction> {
  const action = em.create(BulkAction, {
    ...wanted,
    id: uuidv7(),
    requestedBy: nameOfActor(actor),
    createdAt: new Date(),
  });
  await em.persist(action).flush();
  await recordAudit(em, actor, {
    action: 'bulk_action.started',
    subject: `bulk-actions/${action.id}`,
    after: { action: wanted.action, filter: viewOf(action).filter, ...wanted.parameters, matched: wanted.matched },
    reason: wanted.reason,
  });
  await enqueueWork(em, [bulkWorkItem(action.id)]);
  return action;
}

/** The work item of a bulk action, which exists until the action has ended. */
export function bulkWorkItem(id: string): WorkItem & { kind: 'bulk-action' } {
  return { workflowId: workflowIds.bulkAction(id), kind: 'bulk-action', input: { bulkActionId: id } };
}

/** Finds a bulk action. */
export async function findBulkAction(on: Queryable, id: string): Promise<BulkAction | undefined> {
  return (await emOf(on).findOne(BulkAction, { id })) ?? undefined;
}

/** Lists the newest bulk actions; with `before`, only older ones. */
export function listBulkActions(on: Queryable, limit: number, before?: string): Promise<BulkAction[]> {
  const wanted = before === undefined ? {} : { id: { $lt: before } };
  return emOf(on).find(BulkAction, wanted, { orderBy: { id: 'desc' }, limit });
}

/** Locks a bulk action. @param mode without waiting for pages it returns undefined while a page is worked off */
export async function lockBulkAction(
  em: EntityManager,
  id: string,
  mode: 'wait' | 'skip locked',
): Promise<BulkAction | undefined> {
  const lockMode = mode === 'wait' ? LockMode.PESSIMISTIC_WRITE : LockMode.PESSIMISTIC_PARTIAL_WRITE;
  return (await em.findOne(BulkAction, { id }, { lockMode })) ?? undefined;
}

/** Ends a bulk action and removes its work item. */
export async function endBulkAction(em: EntityManager, id: string, status: 'COMPLETED' | 'CANCELLED'): Promise<void> {
  await em.nativeUpdate(BulkAction, { id, endedAt: null }, { status, endedAt: raw('now()') });
  await completeWork(em, [workflowIds.bulkAction(id)]);
}

/** An item with its outcome. */
export interface HandledItem {
  item: StuckItem;
  outcome: BulkOutcome;
  code?: string | undefined;
}

/** Stores the outcomes of a page, and moves the cursor of the locked action behind its last item. */
export async function storeOutcomes(
  em: EntityManager,
  action: BulkAction,
  handled: readonly HandledItem[],
): Promise<void> {
  await em.insertMany(
    BulkActionItem,
    handled.map(({ item, outcome, code }, index) => ({
      bulkActionId: action.id,
      position: action.handled + index + 1,
      item: nameOfItem(item),
      importSupplier: item.importSupplier,
      externalAccountNumber: item.externalAccountNumber,
      outcome,
      code: code ?? null,
    })),
  );
  const outcomes = { ...action.outcomes };
  for (const { outcome } of handled) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  const { since, id } = handled.at(-1)!.item;
  em.assign(action, { outcomes, handled: action.handled + handled.length, since, item: id, pageBeganAt: null });
  await em.flush();
}

/** Most actions shown for an item. */
const ACTIONS_OF_ITEM_MAX = 20;

/** Lists the newest actions that handled an item, with its outcome. */
export function findActionsOfItem(on: Queryable, item: string) {
  return kyselyOf<BulkActionTables>(on)
    .selectFrom('bulk_action_item as i')
    .innerJoin('bulk_action as b', 'b.id', 'i.bulk_action_id')
    .select(['b.id', 'b.action', 'b.reason', 'b.requested_by as requestedBy', 'i.outcome', 'i.handled_at as handledAt'])
    .where('i.item', '=', item)
    .orderBy('i.handled_at', 'desc')
    .limit(ACTIONS_OF_ITEM_MAX)
    .execute();
}

/** Items per statement. */
const RESULTS_PAGE = 5_000;

/** Reads the outcomes of a bulk action as JSON lines, in the order in which the items were handled. */
export async function* readResults(on: Queryable, id: string): AsyncGenerator<string> {
  const read = (after: number) =>
    kyselyOf<BulkActionTables>(on)
      .selectFrom('bulk_action_item')
      .select(['position', 'item', 'import_supplier', 'external_account_number', 'outcome', 'code', 'handled_at'])
      .where('bulk_action_id', '=', id)
      .where('position', '>', after)
      .orderBy('position')
      .limit(RESULTS_PAGE)
      .execute();
  for await (const rows of keysetPages(0, RESULTS_PAGE, (row) => row.position, read)) {
    for (const { position: _position, ...line } of rows) yield `${JSON.stringify(line)}\n`;
  }
}

/** Lists bulk actions that have not ended, after the id `after`, with whether they have work. */
export async function findUnfinishedBulkActions(
  on: Queryable,
  after: string,
  limit: number,
): Promise<UnfinishedState[]> {
  const workItemId = sql.raw(workItemIdSql(`'${workflowIds.bulkAction('')}' || b.id`));
  const rows = await kyselyOf<BulkActionTables>(on)
    .selectFrom('bulk_action as b')
    .select(['b.id', 'b.created_at as since', sql<boolean>`(${workItemId}) is not null`.as('hasWork')])
    .where('b.ended_at', 'is', null)
    .where('b.id', '>', after)
    .orderBy('b.id')
    .limit(limit)
    .execute();
  return rows.map(({ id, since, hasWork }) => ({ key: id, since, hasWork, work: bulkWorkItem(id) }));
}

/** Items that one statement deletes. */
const ITEMS_AT_ONCE = 10_000;
/** Actions of one round. */
const ACTIONS_MAX = 100;
/** Time limit of one round; the next round continues. */
const DELETES_MS = 5_000;

/** Returns the step of the dispatcher that deletes the outcomes of the items of old bulk actions. Their counts are kept. */
export function deleteOldBulkResults(
  database: Database,
  { JOB_RESULTS_KEPT_DAYS: keptDays }: Pick<Settings, 'JOB_RESULTS_KEPT_DAYS'>,
): () => Promise<void> {
  return async () => {
    const until = performance.now() + DELETES_MS;
    const expired = await database
      .em()
      .find(
        BulkAction,
        { resultsDeletedAt: null, endedAt: { $lt: raw('now() - make_interval(days => ?)', [keptDays]) } },
        { fields: ['id', 'handled'], orderBy: { endedAt: 'asc' }, limit: ACTIONS_MAX },
      );
    for (const { id, handled } of expired) {
      for (let position = 0; position < handled; position += ITEMS_AT_ONCE) {
        if (performance.now() > until) return;
        const page = { $gt: position, $lte: position + ITEMS_AT_ONCE };
        await database.em().nativeDelete(BulkActionItem, { bulkActionId: id, position: page });
      }
      await database.em().nativeUpdate(BulkAction, { id }, { resultsDeletedAt: raw('now()') });
    }
  };
}
