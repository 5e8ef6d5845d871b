import { sql } from 'kysely';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import {
  type BatchStatus,
  batchStatuses,
  countsOf,
  estimatedEnd,
  type OperatorProgress,
  ratePerSecond,
} from '../populate/population-batch.rules.ts';
import type { LookupTables } from '../supply-point.entity.ts';
import { importSuppliersOfBatch, isOfViewer, RATE_SQL, type BatchViewer } from '../populate/population-batch.store.ts';
import type { BatchPage, BatchView } from './find-supply-points.openapi.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';
import { isUuid } from '../../vocabulary/wire-forms.ts';

/** Filters of a list of batches. */
export interface WantedBatches {
  status?: BatchStatus | undefined;
  importSupplier?: string | undefined;
}

/** The progress of a batch `b`. */
const PROGRESS = sql<OperatorProgress[]>`(
  select coalesce(jsonb_agg(jsonb_build_object('networkOperator', s.network_operator, 'accepted', s.accepted, 'imported', s.imported, 'errored', s.errored,
    'pending', s.accepted - s.imported - s.errored, 'ratePerSecond', ${sql.raw(RATE_SQL)}) order by s.network_operator), '[]')
  from population_operator_progress s where s.batch_id = b.id)`;

/** Selects the newest batches, of those before `before`. */
function newestBatches(database: Queryable, before: string | undefined, limit: number) {
  return kyselyOf<LookupTables>(database)
    .selectFrom('population_batch as b')
    .select([
      'b.id as batchId',
      'b.status',
      'b.created_at as createdAt',
      'b.ended_at as endedAt',
      importSuppliersOfBatch.as('importSuppliers'),
      PROGRESS.as('operatorProgress'),
    ])
    .$if(before !== undefined, (query) => query.where('b.id', '<', before!))
    .orderBy('b.id', 'desc')
    .limit(limit);
}

/** A batch in a list. */
export type ListedBatch = Awaited<ReturnType<typeof findNewestBatches>>[number];

/** Lists batches of all organisations, newest first; with `before`, only older batches. */
export async function listBatches(
  database: Queryable,
  { status, importSupplier }: WantedBatches,
  limit: number,
  before?: string,
): Promise<BatchView[]> {
  let batches = newestBatches(database, before, limit);
  let ofSupplier = kyselyOf<LookupTables>(database)
    .selectFrom('population_batch_import_supplier as i')
    .select('i.batch_id')
    .where('i.import_supplier', '=', importSupplier ?? '');
  const isRare = status === 'IN_PROGRESS' || status === 'CANCELLED';
  if (importSupplier === undefined || isRare) {
    // The status is a literal so that the planner uses the partial index.
    if (status !== undefined) batches = batches.where('b.status', '=', sql.lit(status));
    if (importSupplier !== undefined) {
      batches = batches.where('b.id', 'in', ofSupplier.where('i.batch_id', '=', sql.ref<string>('b.id')));
    }
  } else {
    if (before !== undefined) ofSupplier = ofSupplier.where('i.batch_id', '<', before);
    // A scalar subquery makes the planner look up the status of each batch instead of joining whole tables. It compares the status itself,
    // because the planner expects half of the batches to fit a condition and few to equal a value.
    const fits = sql<boolean>`(select c.status = ${status} from population_batch c where c.id = i.batch_id)`;
    if (status !== undefined) ofSupplier = ofSupplier.where(fits);
    const page = ofSupplier.orderBy('i.batch_id', 'desc').limit(limit);
    batches = batches.where('b.id', '=', sql<string>`any(array(${page}))`);
  }
  return (await batches.execute()).map((batch) => viewOfBatch(batch));
}

/** The progress of a batch as the API shows it. */
export function viewOfBatch(batch: ListedBatch): BatchView {
  const { batchId, status, importSuppliers, operatorProgress: progress, createdAt, endedAt } = batch;
  const isOpen = status === 'IN_PROGRESS';
  return {
    batch_id: batchId,
    status,
    import_suppliers: importSuppliers,
    counts: countsOf(progress),
    rate_per_second: isOpen ? ratePerSecond(progress) : 0,
    estimated_end: isOpen ? (estimatedEnd(progress, Date.now())?.toISOString() ?? null) : null,
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}

/** Batches per page. */
const PAGE_SIZE = 50;

/**
 * Lists batches of all organisations, newest first.
 * @param query `status`, `import_supplier` and `cursor`; empty values are ignored
 */
export async function findBatchPage(
  database: Queryable,
  query: URLSearchParams,
  limit = PAGE_SIZE,
): Promise<BatchPage | Refused> {
  const given = (name: string) => query.get(name) || undefined;
  const [status, importSupplier, cursor] = [given('status'), given('import_supplier'), given('cursor')];
  const wanted = batchStatuses.find((one) => one === status);
  const violations: Violation[] = [];
  if (status !== undefined && wanted === undefined) {
    violations.push(violation('invalid_choice', ['status'], `Send one of ${batchStatuses.join(', ')}.`));
  }
  if (cursor !== undefined && !isUuid(cursor)) {
    violations.push(violation('invalid', ['cursor'], 'Use next_cursor of the previous page.'));
  }
  if (violations.length > 0) return refuse('validation_failed', { violations });
  // The database cannot store NUL, so no supplier has this code.
  if (importSupplier?.includes('\0')) return { batches: [], next_cursor: null };
  const found = await listBatches(database, { status: wanted, importSupplier }, limit + 1, cursor);
  const batches = found.slice(0, limit);
  return { batches, next_cursor: found.length > limit ? (batches.at(-1)?.batch_id ?? null) : null };
}

/** Lists the newest batches; with `before`, only older ones; with `viewer`, only batches that the viewer may see. */
export async function findNewestBatches(
  database: Queryable,
  before: string | undefined,
  limit: number,
  viewer?: BatchViewer,
) {
  return newestBatches(database, before, limit)
    .$if(viewer !== undefined, (query) => query.where(isOfViewer(viewer!)))
    .execute();
}
