import { sql } from 'kysely';
import { kyselyOf, run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import {
  type BatchStatus,
  batchStatuses,
  type CountsOfBatch,
  countsOf,
  estimatedEnd,
  isBatchId,
  type OperatorProgress,
  ratePerSecond,
} from '../populate/population-batch.rules.ts';
import type { PopulationBatchTable } from '../populate/population-batch.entity.ts';
import { importSuppliersOfBatch, isOfViewer, RATE_SQL, type BatchViewer } from '../populate/population-batch.store.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation, type Violation } from '../../vocabulary/violations.ts';

/** Filters of a list of batches. */
export interface WantedBatches {
  status?: BatchStatus | undefined;
  importSupplier?: string | undefined;
}

/** A batch in a list for operators. */
export interface BatchView {
  batch_id: string;
  status: BatchStatus;
  import_suppliers: string[];
  counts: CountsOfBatch;
  rate_per_second: number;
  estimated_end: string | null;
  created_at: string;
  ended_at: string | null;
}

interface Row extends Record<string, unknown> {
  id: string;
  status: BatchStatus;
  created_at: Date;
  ended_at: Date | null;
  suppliers: string[];
  progress: OperatorProgress[];
}

const NEWEST = "coalesce($1::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')";

/** SQL: the progress of a batch `b`. */
const PROGRESS_SQL = `
  select coalesce(jsonb_agg(jsonb_build_object('networkOperator', s.network_operator, 'accepted', s.accepted, 'imported', s.imported, 'errored', s.errored,
    'pending', s.accepted - s.imported - s.errored, 'ratePerSecond', ${RATE_SQL}) order by s.network_operator), '[]')
  from population_operator_progress s where s.batch_id = b.id`;

/** Finds the ids of a page by an index that has the order, then reads the batches. */
const listed = (name: string, page: string): PreparedQuery => ({
  name,
  text: `
    select b.id, b.status, b.created_at, b.ended_at,
      array(select i.import_supplier from population_batch_import_supplier i where i.batch_id = b.id order by 1) as suppliers,
      (${PROGRESS_SQL}) as progress
    from (${page}) p join population_batch b on b.id = p.id order by b.id desc`,
});

/** The status is a literal so that the planner uses the partial index. Cancelled and open batches are few. */
const ofStatus = (status: BatchStatus): PreparedQuery =>
  listed(
    `batches-${status}`,
    `select o.id from population_batch o where o.id < ${NEWEST} and o.status = '${status}'
      and ($3::text is null or exists (select from population_batch_import_supplier i where i.batch_id = o.id and i.import_supplier = $3)) order by o.id desc limit $2`,
  );
/** `offset 0` makes the planner look up each batch of the supplier instead of joining whole tables. */
const ofSupplier = (name: string, condition: string): PreparedQuery =>
  listed(
    name,
    `select i.batch_id as id from population_batch_import_supplier i, lateral (select c.status from population_batch c where c.id = i.batch_id offset 0) o
      where i.import_supplier = $3 and i.batch_id < ${NEWEST} and ${condition} order by i.batch_id desc limit $2`,
  );

const OF_ALL = listed(
  'batches-all',
  `select o.id from population_batch o where o.id < ${NEWEST} and $3::text is null order by o.id desc limit $2`,
);
const COMPLETED = listed(
  'batches-completed',
  `select o.id from population_batch o where o.id < ${NEWEST} and o.status = 'COMPLETED' and $3::text is null order by o.id desc limit $2`,
);
const OPEN = ofStatus('IN_PROGRESS');
const CANCELLED = ofStatus('CANCELLED');
const OF_SUPPLIER = ofSupplier('batches-of-supplier', 'true');
const COMPLETED_OF_SUPPLIER = ofSupplier('batches-completed-of-supplier', "o.status = 'COMPLETED'");

/** Lists batches of all organisations, newest first; with `before`, only older batches. */
export async function listBatches(
  database: Queryable,
  wanted: WantedBatches,
  limit: number,
  before?: string,
): Promise<BatchView[]> {
  const rows = await run<Row>(database, statementFor(wanted), [before ?? null, limit, wanted.importSupplier ?? null]);
  const now = Date.now();
  return rows.map((row) => viewOf(row, now));
}

function statementFor({ status, importSupplier }: WantedBatches): PreparedQuery {
  if (status === 'IN_PROGRESS') return OPEN;
  if (status === 'CANCELLED') return CANCELLED;
  if (importSupplier === undefined) return status === undefined ? OF_ALL : COMPLETED;
  return status === undefined ? OF_SUPPLIER : COMPLETED_OF_SUPPLIER;
}

function viewOf(
  { id, status, created_at: createdAt, ended_at: endedAt, suppliers, progress }: Row,
  now: number,
): BatchView {
  const isOpen = status === 'IN_PROGRESS';
  return {
    batch_id: id,
    status,
    import_suppliers: suppliers,
    counts: countsOf(progress),
    rate_per_second: isOpen ? ratePerSecond(progress) : 0,
    estimated_end: isOpen ? (estimatedEnd(progress, now)?.toISOString() ?? null) : null,
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}

/** Batches per page. */
const PAGE_SIZE = 50;

/** A page of batches. */
export interface BatchPage {
  batches: BatchView[];
  next_cursor: string | null;
}

/**
 * Lists batches of all organisations, newest first.
 * @param query `status`, `import_supplier` and `cursor`; empty values are ignored
 */
export async function findBatchPage(database: Queryable, query: URLSearchParams): Promise<BatchPage | Refused> {
  const given = (name: string) => query.get(name) || undefined;
  const [status, importSupplier, cursor] = [given('status'), given('import_supplier'), given('cursor')];
  const wanted = batchStatuses.find((one) => one === status);
  const violations: Violation[] = [];
  if (status !== undefined && wanted === undefined) {
    violations.push(violation('invalid_choice', ['status'], `Send one of ${batchStatuses.join(', ')}.`));
  }
  if (cursor !== undefined && !isBatchId(cursor)) {
    violations.push(violation('invalid', ['cursor'], 'Use next_cursor of the previous page.'));
  }
  if (violations.length > 0) return refuse('validation_failed', { violations });
  // The database cannot store NUL, so no supplier has this code.
  if (importSupplier?.includes('\0')) return { batches: [], next_cursor: null };
  const found = await listBatches(database, { status: wanted, importSupplier }, PAGE_SIZE + 1, cursor);
  const batches = found.slice(0, PAGE_SIZE);
  return { batches, next_cursor: found.length > PAGE_SIZE ? (batches.at(-1)?.batch_id ?? null) : null };
}

/** A batch in a list for suppliers. */
export interface ListedBatch {
  batchId: string;
  status: BatchStatus;
  importSuppliers: string[];
  createdAt: Date;
  endedAt: Date | null;
  operatorProgress: OperatorProgress[];
}

/** Lists the newest batches; with `before`, only older ones; with `viewer`, only batches that the viewer may see. */
export async function findNewestBatches(
  database: Queryable,
  before: string | undefined,
  limit: number,
  viewer?: BatchViewer,
): Promise<ListedBatch[]> {
  return kyselyOf<PopulationBatchTable>(database)
    .selectFrom('population_batch as b')
    .select([
      'b.id as batchId',
      'b.status',
      'b.created_at as createdAt',
      'b.ended_at as endedAt',
      importSuppliersOfBatch.as('importSuppliers'),
      sql<OperatorProgress[]>`(${sql.raw(PROGRESS_SQL)})`.as('operatorProgress'),
    ])
    .$if(before !== undefined, (query) => query.where('b.id', '<', before!))
    .$if(viewer !== undefined, (query) => query.where(isOfViewer(viewer!)))
    .orderBy('b.id', 'desc')
    .limit(limit)
    .execute();
}
