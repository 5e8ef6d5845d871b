import { LockMode, raw } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../temporal.config.ts';
import { nameOfActor, recordAudit, type Actor } from '../access/index.ts';
import { emOf, kyselyOf, run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { UnfinishedState } from '../platform/work-items/compared-work.store.ts';
import { completeWork, enqueueWork, workItemIdSql, type WorkItem } from '../platform/work-items/work-item.store.ts';
import { countStuckItems, findStuckItems, type StuckFilter, type StuckItem } from '../stuck/index.ts';
import type { BulkActionKind, BulkOutcome } from '../vocabulary/bulk-actions.ts';
import { BulkAction, type BulkActionTables } from './bulk-action.entity.ts';
import { viewOf } from './bulk-action-view.rules.ts';
import { scopeOf } from './bulk-action.rules.ts';
import { type BulkParameters, type BulkPreview, SAMPLE_SIZE } from './bulk-action.schema.ts';

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
    sample.push(...(await findStuckItems(on, source, { ...filter, kinds }, undefined, SAMPLE_SIZE - sample.length)));
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

/** Lists the newest bulk actions, or only those that have not ended. */
export function listBulkActions(on: Queryable, limit: number, isOpen = false): Promise<BulkAction[]> {
  return emOf(on).find(BulkAction, isOpen ? { endedAt: null } : {}, { orderBy: { id: 'desc' }, limit });
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

const STORE: PreparedQuery = {
  name: 'bulk-action-store-items',
  text: `
    insert into bulk_action_item (bulk_action_id, position, item, import_supplier, external_account_number, outcome, code)
    select $1, $2 + n.position, n.item, n.supplier, n.external, n.outcome, n.code
    from unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) with ordinality as n (item, supplier, external, outcome, code, position)`,
};

/** Stores the outcomes of a page, and moves the cursor of the locked action behind its last item. */
export async function storeOutcomes(
  em: EntityManager,
  action: BulkAction,
  handled: readonly HandledItem[],
): Promise<void> {
  await run(em, STORE, [
    action.id,
    action.handled,
    handled.map(({ item }) => nameOfItem(item)),
    handled.map(({ item }) => item.importSupplier),
    handled.map(({ item }) => item.externalAccountNumber),
    handled.map(({ outcome }) => outcome),
    handled.map(({ code }) => code ?? null),
  ]);
  const outcomes = { ...action.outcomes };
  for (const { outcome } of handled) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  const { since, id } = handled.at(-1)!.item;
  em.assign(action, { outcomes, handled: action.handled + handled.length, since, item: id, pageBeganAt: null });
  await em.flush();
}

/** Most actions shown for an item. */
const ACTIONS_OF_ITEM_MAX = 20;

/** An action that handled an item, with its outcome. */
export interface ActionOfItem extends Record<string, unknown> {
  id: string;
  action: BulkActionKind;
  reason: string;
  requestedBy: string;
  outcome: BulkOutcome;
  handledAt: Date;
}

const OF_ITEM: PreparedQuery = {
  name: 'bulk-actions-of-item',
  text: `
    select b.id, b.action, b.reason, b.requested_by as "requestedBy", i.outcome, i.handled_at as "handledAt"
    from bulk_action_item i join bulk_action b on b.id = i.bulk_action_id
    where i.item = $1 order by i.handled_at desc limit ${ACTIONS_OF_ITEM_MAX}`,
};

/** Lists the newest actions that handled an item. */
export function findActionsOfItem(on: Queryable, item: string): Promise<ActionOfItem[]> {
  return run<ActionOfItem>(on, OF_ITEM, [item]);
}

/** Items per statement. */
const RESULTS_PAGE = 5_000;

/** Reads the outcomes of a bulk action as JSON lines, in the order in which the items were handled. */
export async function* readResults(on: Queryable, id: string): AsyncGenerator<string> {
  for (let after = 0; ;) {
    const rows = await kyselyOf<BulkActionTables>(on)
      .selectFrom('bulk_action_item')
      .select(['position', 'item', 'import_supplier', 'external_account_number', 'outcome', 'code', 'handled_at'])
      .where('bulk_action_id', '=', id)
      .where('position', '>', after)
      .orderBy('position')
      .limit(RESULTS_PAGE)
      .execute();
    for (const { position, ...line } of rows) {
      yield `${JSON.stringify(line)}\n`;
      after = position;
    }
    if (rows.length < RESULTS_PAGE) return;
  }
}

/** Lists bulk actions that have not ended, after the id `after`, with whether they have work. */
export async function findUnfinishedBulkActions(
  on: Queryable,
  after: string,
  limit: number,
): Promise<UnfinishedState[]> {
  const rows = await run<{ id: string; since: Date; hasWork: boolean }>(on, UNFINISHED, [after, limit]);
  return rows.map(({ id, since, hasWork }) => ({ key: id, since, hasWork, work: bulkWorkItem(id) }));
}

const UNFINISHED: PreparedQuery = {
  name: 'bulk-action-unfinished',
  text: `
    select b.id, b.created_at as since, (${workItemIdSql(`'${workflowIds.bulkAction('')}' || b.id`)}) is not null as "hasWork"
    from bulk_action b where b.ended_at is null and b.id > $1 order by b.id limit $2`,
};
