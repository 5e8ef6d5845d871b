import type { EntityManager } from '@mikro-orm/postgresql';
import type { DeferredSummary } from '../lookup/deferred-lookup.store.ts';
import { sql } from 'kysely';
import { lookupBudget, workflowIds } from '../../../temporal.config.ts';
import type { Database } from '../../platform/database/database.ts';
import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { Caller } from '../../platform/http/route.ts';
import { completeWork } from '../../platform/work-items/work-item.store.ts';
import { networkOperators, ownErroredReasons, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import type { BatchWarnings } from './populate.rules.ts';
import type { BatchStatus, OperatorProgress } from './population-batch.rules.ts';
import type { PopulationBatchTable } from './population-batch.entity.ts';
import type { PopulationChunkTable } from './population-chunk.entity.ts';

/** A batch with its counts, by key. */
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

/** SQL: outcomes a second of the progress `s`. It spans the window before and the present one; when nothing has come for long it fades. */
export const RATE_SQL = `
      case when clock_timestamp() - s.window_at < interval '30 seconds'
        then (s.earlier_count + s.window_count) / greatest(1, extract(epoch from clock_timestamp() - s.earlier_at))
        else s.window_count / extract(epoch from clock_timestamp() - s.window_at) end::float8`;

const COUNTS: PreparedQuery = {
  name: 'population-batch-counts',
  text: `
    select b.status, b.customer_category, b.customer_authorisation, b.warnings, b.created_at, b.ended_at, s.network_operator, s.accepted, s.imported, s.errored,
      array(select i.import_supplier from population_batch_import_supplier i where i.batch_id = b.id order by 1) as import_suppliers,
      ${RATE_SQL} as rate
    from population_batch b left join population_operator_progress s on s.batch_id = b.id
    where b.id = $1 and ($2::text is null or (b.organisation_id = (select id from organisation where name = $2)
      and not exists (select from population_batch_import_supplier i where i.batch_id = b.id and i.import_supplier <> all ($3::text[]))))
    order by s.network_operator`,
};

interface CountsRow extends Record<string, unknown> {
  status: BatchStatus;
  import_suppliers: string[];
  customer_category: string;
  customer_authorisation: boolean;
  warnings: BatchWarnings;
  created_at: Date;
  ended_at: Date | null;
  network_operator: NetworkOperatorName;
  accepted: number;
  imported: number;
  errored: number;
  rate: number;
}

/** A batch; with `viewer` only if it is of their organisation and of no import supplier but theirs. One statement, so that counts and status fit together. */
export async function findBatchCounts(
  database: Queryable,
  batchId: string,
  viewer?: Pick<Caller, 'organisation' | 'importSuppliers'>,
): Promise<BatchCounts | undefined> {
  const rows = await run<CountsRow>(database, COUNTS, [
    batchId,
    viewer?.organisation ?? null,
    [...(viewer?.importSuppliers ?? [])],
  ]);
  const [first] = rows;
  if (first === undefined) return undefined;
  return {
    batchId,
    status: first.status,
    importSuppliers: first.import_suppliers,
    customerCategory: first.customer_category,
    customerAuthorisation: first.customer_authorisation,
    warnings: first.warnings,
    createdAt: first.created_at,
    endedAt: first.ended_at,
    operatorProgress: rows.map((row) => ({
      networkOperator: row.network_operator,
      accepted: row.accepted,
      imported: row.imported,
      errored: row.errored,
      pending: row.accepted - row.imported - row.errored,
      ratePerSecond: row.rate,
    })),
  };
}

const OPEN_COUNTED_MAX = lookupBudget.watch.pauseMaxSeconds / lookupBudget.watch.secondsForEachOpen;

/** How far a batch is, for its workflow. */
export interface BatchProgress {
  status: BatchStatus;
  accepted: number;
  imported: number;
  pending: number;
  errored: number;
  /** How many batches are open, this one among them; no more are counted than make a difference to whoever watches. */
  openBatches: number;
  /** Absent when no lookup is deferred. */
  deferred?: DeferredSummary | undefined;
}

const OPEN: PreparedQuery = {
  name: 'population-batches-open',
  text: `select count(*)::integer as open from (select from population_batch where status = 'IN_PROGRESS' limit $1) b`,
};

/** Reads how far a batch is; once it has ended, the work of its run is complete. Null when there is no such batch. */
export async function findProgress(database: Database, batchId: string): Promise<BatchProgress | null> {
  const batch = await findBatchCounts(database, batchId);
  if (batch === undefined) return null;
  // After the look, not before: a batch that ends in between would end its run and leave its work pending.
  if (batch.status !== 'IN_PROGRESS') await database.transaction((em) => completeEndedBatch(em, batchId));
  const [counted] = await run<{ open: number }>(database, OPEN, [OPEN_COUNTED_MAX]);
  const sum = (part: 'accepted' | 'imported' | 'pending' | 'errored') =>
    batch.operatorProgress.reduce((total, one) => total + one[part], 0);
  return {
    status: batch.status,
    accepted: sum('accepted'),
    imported: sum('imported'),
    pending: sum('pending'),
    errored: sum('errored'),
    openBatches: counted?.open ?? 0,
  };
}

/** Whoever opens the batch again locks it too, and enqueues its work after that. */
async function completeEndedBatch(em: EntityManager, batchId: string): Promise<void> {
  const batch = await lockBatch(em, batchId);
  if (batch?.status !== 'IN_PROGRESS') await completeWork(em, [workflowIds.populateSupplyPoints(batchId)]);
}

function batchById(em: EntityManager, batchId: string) {
  return em.getKysely<PopulationBatchTable>().selectFrom('population_batch').select('status').where('id', '=', batchId);
}

/** Locks a batch; undefined when there is none. */
export async function lockBatch(em: EntityManager, batchId: string): Promise<{ status: BatchStatus } | undefined> {
  return batchById(em, batchId).forNoKeyUpdate().executeTakeFirst();
}

/** Locks what is not yet expanded of a batch. */
export async function lockChunks(em: EntityManager, batchId: string): Promise<void> {
  await em
    .getKysely<PopulationChunkTable>()
    .selectFrom('population_chunk')
    .select('chunk')
    .where('batch_id', '=', batchId)
    .orderBy('network_operator')
    .orderBy('chunk')
    .forUpdate()
    .execute();
}

/** Locks the lookups of a batch whose requests are in one of the states. They are found first, so that they are locked in the order of their ids. */
export async function lockLookups(em: EntityManager, batchId: string, states: readonly string[]): Promise<void> {
  await run(em, LOCK_LOOKUPS, [batchId, networkOperators, states]);
}

const LOCK_LOOKUPS: PreparedQuery = {
  name: 'population-lookups-lock',
  text: `select 1 from look_up where id = any(array(select look_up_id from population_request where batch_id = $1 and network_operator = any($2) and state = any($3))) order by id for no key update`,
};
/** Before the requests: a chunk that is expanded at this moment is waited for, and its requests are then seen. */
export const CANCEL_IN_CHUNKS: PreparedQuery = {
  name: 'population-chunks-cancel',
  text: `
    with chunks as (update population_chunk set is_cancelled = $2 where batch_id = $1 and is_cancelled <> $2 returning network_operator, cardinality(identifiers) as count),
    counted as (select network_operator, sum(count) as count from chunks group by 1)
    update population_operator_progress s set errored = s.errored + case when $2 then c.count else - c.count end from counted c where s.batch_id = $1 and s.network_operator = c.network_operator
    returning s.network_operator, c.count::integer as moved`,
};
const CANCEL: PreparedQuery = {
  name: 'population-batch-cancel',
  text: `
    with moved as (
      update population_request set state = 'errored', errored_reason = $2
      where batch_id = $1 and network_operator = any($3) and state in ('pending', 'deferred') returning network_operator
    ), counted as (select network_operator, count(*) as count from moved group by 1)
    update population_operator_progress s set errored = s.errored + c.count from counted c where s.batch_id = $1 and s.network_operator = c.network_operator
    returning c.count::integer as count`,
};
/**
 * Cancels a batch: what is pending ends as errored with the reason `batch_cancelled`, what is complete stays. Identifiers that
 * other batches want too go on for these. Null when there is no such batch; one that has ended stays as it is.
 */
export async function cancelBatch(
  database: Database,
  batchId: string,
): Promise<{ status: BatchStatus; cancelled: number } | null> {
  return database.transaction((em) => cancelBatchIn(em, batchId));
}

/** The same inside a transaction, beside its row of the audit. */
export async function cancelBatchIn(
  em: EntityManager,
  batchId: string,
): Promise<{ status: BatchStatus; cancelled: number } | null> {
  const found = await batchById(em, batchId).executeTakeFirst();
  if (found?.status !== 'IN_PROGRESS') return found === undefined ? null : { status: found.status, cancelled: 0 };
  // Chunks, lookups, batch, progress: everybody goes in this order, so that nobody waits for another in a circle.
  await lockChunks(em, batchId);
  await lockLookups(em, batchId, ['pending', 'deferred']);
  const batch = await lockBatch(em, batchId);
  if (batch?.status !== 'IN_PROGRESS') return { status: batch?.status ?? found.status, cancelled: 0 };
  const chunks = await run<{ network_operator: string; moved: number }>(em, CANCEL_IN_CHUNKS, [batchId, true]);
  const counts = await run<{ count: number }>(em, CANCEL, [batchId, ownErroredReasons.cancelled, networkOperators]);
  await em
    .getKysely<PopulationBatchTable>()
    .updateTable('population_batch')
    .set({ status: 'CANCELLED', ended_at: sql<Date>`now()` })
    .where('id', '=', batchId)
    .execute();
  // A run that is left watches it to its end all the same; one that was cancelled itself must not look as if it were lost.
  await completeWork(em, [workflowIds.populateSupplyPoints(batchId)]);
  return {
    status: 'CANCELLED',
    cancelled:
      chunks.reduce((total, { moved }) => total + moved, 0) + counts.reduce((total, { count }) => total + count, 0),
  };
}
