import { type EntityManager, raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { lookupBudget, workflowIds } from '../../../temporal.config.ts';
import type { Database } from '../../platform/database/database.ts';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { Caller } from '../../platform/http/route.ts';
import { completeWork } from '../../platform/work-items/work-item.store.ts';
import { networkOperators, ownErroredReasons, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { type LookupTables, PopulationBatch, PopulationOperatorProgress } from '../supply-point.entity.ts';
import type { BatchWarnings, BatchStatus, DeferredSummary, OperatorProgress } from './population-batch.rules.ts';

/** The caller to whom batches are shown. */
export type BatchViewer = Pick<Caller, 'organisation' | 'importSuppliers'>;

/** The number of identifiers that a change concerns at one network operator. */
export interface MovedCount {
  networkOperator: NetworkOperatorName;
  count: number;
}

/** A batch with its counts. */
export interface BatchCounts {
  batchId: string;
  status: BatchStatus;
  importSuppliers: string[];
  customerCategory: string;
  customerAuthorisation: boolean;
  warnings: BatchWarnings;
  createdAt: Date;
  endedAt: Date | null;
  operatorProgress: OperatorProgress[];
}

/** SQL: outcomes per second of the progress `s`, over the previous and the current window. Without outcomes it declines. */
export const RATE_SQL = `
      case when clock_timestamp() - s.window_at < interval '30 seconds'
        then (s.earlier_count + s.window_count) / greatest(1, extract(epoch from clock_timestamp() - s.earlier_at))
        else s.window_count / extract(epoch from clock_timestamp() - s.window_at) end::float8`;

/** SQL: whether a batch `b` belongs to the viewer's organisation, and only to import suppliers of the viewer. */
export const isOfViewer = ({ organisation, importSuppliers }: BatchViewer) =>
  sql<boolean>`b.organisation_id = (select id from organisation where name = ${organisation}) and not exists (
    select from population_batch_import_supplier i where i.batch_id = b.id and i.import_supplier <> all (${[...importSuppliers]}::text[]))`;

/** SQL: the import suppliers of a batch `b`. */
export const importSuppliersOfBatch = sql<string[]>`array(
  select i.import_supplier from population_batch_import_supplier i where i.batch_id = b.id order by 1)`;

/** Finds a batch in one statement, so that counts and status are consistent; with `viewer` only a batch that the viewer may see. */
export async function findBatchCounts(
  database: Queryable,
  batchId: string,
  viewer?: BatchViewer,
): Promise<BatchCounts | undefined> {
  const rows = await kyselyOf<LookupTables>(database)
    .selectFrom('population_batch as b')
    .innerJoin('population_operator_progress as s', 's.batch_id', 'b.id')
    .select([
      'b.status',
      importSuppliersOfBatch.as('importSuppliers'),
      'b.customer_category as customerCategory',
      'b.customer_authorisation as customerAuthorisation',
      'b.warnings',
      'b.created_at as createdAt',
      'b.ended_at as endedAt',
      's.network_operator as networkOperator',
      's.accepted',
      's.imported',
      's.errored',
      sql<number>`s.accepted - s.imported - s.errored`.as('pending'),
      sql<number>`${sql.raw(RATE_SQL)}`.as('ratePerSecond'),
    ])
    .where('b.id', '=', batchId)
    .$if(viewer !== undefined, (query) => query.where(isOfViewer(viewer!)))
    .orderBy('s.network_operator')
    .execute();
  const [first] = rows;
  return first && { batchId, ...first, operatorProgress: rows };
}

const OPEN_COUNTED_MAX = lookupBudget.watch.pauseMaxSeconds / lookupBudget.watch.secondsForEachOpen;

/** The progress of a batch, for its workflow. */
export interface BatchProgress {
  status: BatchStatus;
  accepted: number;
  imported: number;
  pending: number;
  errored: number;
  /** Number of open batches, including this one; counted up to the number at which the workflow's pause reaches its maximum. */
  openBatches: number;
  /** Absent when no lookup is deferred. */
  deferred?: DeferredSummary | undefined;
}

/** Reads the progress of a batch, and completes its work item once it has ended. Null for an unknown batch. */
export async function findProgress(database: Database, batchId: string): Promise<BatchProgress | null> {
  const batch = await findBatchCounts(database, batchId);
  if (batch === undefined) return null;
  // Decide by the status read above. With a later status, a batch that ended in between would end its run but keep its work item.
  if (batch.status !== 'IN_PROGRESS') await database.transaction((em) => completeEndedBatch(em, batchId));
  const open = await kyselyOf<LookupTables>(database)
    .selectFrom('population_batch')
    .select('id')
    .where('status', '=', 'IN_PROGRESS')
    .limit(OPEN_COUNTED_MAX)
    .execute();
  const sum = (part: 'accepted' | 'imported' | 'pending' | 'errored') =>
    batch.operatorProgress.reduce((total, one) => total + one[part], 0);
  return {
    status: batch.status,
    accepted: sum('accepted'),
    imported: sum('imported'),
    pending: sum('pending'),
    errored: sum('errored'),
    openBatches: open.length,
  };
}

/** Locks the batch, so that a transaction that reopens it and enqueues its work item comes entirely before or after. */
async function completeEndedBatch(em: EntityManager, batchId: string): Promise<void> {
  const batch = await lockBatch(em, batchId);
  if (batch?.status !== 'IN_PROGRESS') await completeWork(em, [workflowIds.populateSupplyPoints(batchId)]);
}

function batchById(em: EntityManager, batchId: string) {
  return kyselyOf<LookupTables>(em).selectFrom('population_batch').select('status').where('id', '=', batchId);
}

/** Locks a batch; undefined for an unknown batch. */
export async function lockBatch(em: EntityManager, batchId: string): Promise<{ status: BatchStatus } | undefined> {
  return batchById(em, batchId).forNoKeyUpdate().executeTakeFirst();
}

/** Locks the chunks of a batch. */
export async function lockChunks(em: EntityManager, batchId: string): Promise<void> {
  await kyselyOf<LookupTables>(em)
    .selectFrom('population_chunk')
    .select('chunk')
    .where('batch_id', '=', batchId)
    .orderBy('network_operator')
    .orderBy('chunk')
    .forUpdate()
    .execute();
}

/** Locks the lookups of a batch whose requests are in one of the states, in the order of their ids. */
export async function lockLookups(em: EntityManager, batchId: string, states: readonly string[]): Promise<void> {
  const tables = kyselyOf<LookupTables>(em);
  const requested = tables
    .selectFrom('population_request')
    .select('look_up_id')
    .where('batch_id', '=', batchId)
    .where('network_operator', 'in', networkOperators)
    .where('state', 'in', states);
  await tables
    .selectFrom('look_up')
    .select('id')
    .where('id', '=', sql<string>`any(array(${requested}))`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute();
}

/** Adds to the counts of a batch at a network operator; the caller has locked the batch. */
export async function addProgress(
  em: EntityManager,
  batchId: string,
  networkOperator: NetworkOperatorName,
  { imported = 0, errored = 0 }: { imported?: number; errored?: number },
): Promise<void> {
  const counts = { imported: raw('imported + ?', [imported]), errored: raw('errored + ?', [errored]) };
  await em.nativeUpdate(PopulationOperatorProgress, { batchId, networkOperator }, counts);
}

/** Sets the status of a batch to COMPLETED, or to IN_PROGRESS while identifiers are pending; the caller has locked the batch. */
export async function completeIfDone(em: EntityManager, batchId: string): Promise<void> {
  const open = await em.count(PopulationOperatorProgress, {
    batchId,
    [raw('imported + errored - accepted')]: { $lt: 0 },
  });
  await em.nativeUpdate(
    PopulationBatch,
    { id: batchId },
    open > 0 ? { status: 'IN_PROGRESS', endedAt: null } : { status: 'COMPLETED', endedAt: raw('now()') },
  );
}

/**
 * Marks the chunks of a batch as cancelled, or reverts that. Call it before changing requests: it waits for a chunk that is
 * being expanded, so that its requests are visible afterwards.
 * @returns the number of changed identifiers by network operator
 */
export async function cancelChunks(em: EntityManager, batchId: string, isCancelled: boolean): Promise<MovedCount[]> {
  const moved = await kyselyOf<LookupTables>(em)
    .with('moved', (of) =>
      of
        .updateTable('population_chunk')
        .set({ is_cancelled: isCancelled })
        .where('batch_id', '=', batchId)
        .where('is_cancelled', '<>', isCancelled)
        .returning(['network_operator', sql<number>`cardinality(identifiers)`.as('identifiers')]),
    )
    .selectFrom('moved')
    .select(['network_operator as networkOperator', sql<number>`sum(identifiers)::integer`.as('count')])
    .groupBy('network_operator')
    .execute();
  for (const { networkOperator, count } of moved) {
    await addProgress(em, batchId, networkOperator, { errored: isCancelled ? count : -count });
  }
  return moved;
}

async function cancelRequests(em: EntityManager, batchId: string): Promise<MovedCount[]> {
  const moved = await kyselyOf<LookupTables>(em)
    .with('moved', (of) =>
      of
        .updateTable('population_request')
        .set({ state: 'errored', errored_reason: ownErroredReasons.cancelled })
        .where('batch_id', '=', batchId)
        .where('network_operator', 'in', networkOperators)
        .where('state', 'in', ['pending', 'deferred'])
        .returning('network_operator'),
    )
    .selectFrom('moved')
    .select(['network_operator as networkOperator', sql<number>`count(*)::integer`.as('count')])
    .groupBy('network_operator')
    .execute();
  for (const { networkOperator, count } of moved) await addProgress(em, batchId, networkOperator, { errored: count });
  return moved;
}

/**
 * Cancels a batch: pending identifiers end as errored with the reason `batch_cancelled`; completed ones stay. Other batches
 * that name the same identifiers are not affected. Null for an unknown batch; a batch that has ended does not change.
 */
export async function cancelBatchIn(
  em: EntityManager,
  batchId: string,
): Promise<{ status: BatchStatus; cancelled: number } | null> {
  const found = await batchById(em, batchId).executeTakeFirst();
  if (found?.status !== 'IN_PROGRESS') return found === undefined ? null : { status: found.status, cancelled: 0 };
  // To avoid deadlocks, every transaction locks in this order: chunks, lookups, batch, progress.
  await lockChunks(em, batchId);
  await lockLookups(em, batchId, ['pending', 'deferred']);
  const batch = await lockBatch(em, batchId);
  if (batch?.status !== 'IN_PROGRESS') return { status: batch?.status ?? found.status, cancelled: 0 };
  const moved = [...(await cancelChunks(em, batchId, true)), ...(await cancelRequests(em, batchId))];
  await em.nativeUpdate(PopulationBatch, { id: batchId }, { status: 'CANCELLED', endedAt: raw('now()') });
  // A run that still watches the batch ends when it reads the status. Without this, a run that was itself cancelled would be reported as
  // lost.
  await completeWork(em, [workflowIds.populateSupplyPoints(batchId)]);
  return { status: 'CANCELLED', cancelled: moved.reduce((total, { count }) => total + count, 0) };
}
