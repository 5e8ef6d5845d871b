import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import {
  countsByList,
  estimatedEnd,
  ratePerSecond,
  type CountsByList,
  type BatchStatus,
  type OperatorProgress,
} from '../populate/population-batch.rules.ts';
import { RATE_SQL } from '../populate/population-batch.store.ts';

/** What a list of batches is narrowed down to. */
export interface WantedBatches {
  status?: BatchStatus | undefined;
  importSupplier?: string | undefined;
}

/** A batch in a list for operators. */
export interface BatchView {
  batch_id: string;
  status: BatchStatus;
  import_suppliers: string[];
  counts: Record<'accepted' | 'imported' | 'pending' | 'errored', CountsByList>;
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

/** The ids of a page first, each found by an index that has the order; then what is shown of them. */
const listed = (name: string, page: string): PreparedQuery => ({
  name,
  text: `
    select b.id, b.status, b.created_at, b.ended_at,
      array(select i.import_supplier from population_batch_import_supplier i where i.batch_id = b.id order by 1) as suppliers,
      (select coalesce(jsonb_agg(jsonb_build_object('networkOperator', s.network_operator, 'accepted', s.accepted, 'imported', s.imported, 'errored', s.errored,
        'pending', s.accepted - s.imported - s.errored, 'ratePerSecond', ${RATE_SQL}) order by s.network_operator), '[]') from population_operator_progress s where s.batch_id = b.id) as progress
    from (${page}) p join population_batch b on b.id = p.id order by b.id desc`,
});

/** As literals: partial indexes are found by their condition. Those that were cancelled or are open are few, whosever they are. */
const ofStatus = (status: BatchStatus): PreparedQuery =>
  listed(
    `batches-${status}`,
    `select o.id from population_batch o where o.id < ${NEWEST} and o.status = '${status}'
      and ($3::text is null or exists (select from population_batch_import_supplier i where i.batch_id = o.id and i.import_supplier = $3)) order by o.id desc limit $2`,
  );
/** `offset 0` keeps the two apart: each batch of the supplier is looked up in its turn, and no table is joined whole. */
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

/** Batches of all organisations, newest first: the first ones, or those before one of them. */
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
    counts: {
      accepted: countsByList(progress, 'accepted'),
      imported: countsByList(progress, 'imported'),
      pending: countsByList(progress, 'pending'),
      errored: countsByList(progress, 'errored'),
    },
    rate_per_second: isOpen ? ratePerSecond(progress) : 0,
    estimated_end: isOpen ? (estimatedEnd(progress, now)?.toISOString() ?? null) : null,
    created_at: createdAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
  };
}
