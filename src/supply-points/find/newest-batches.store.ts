import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { Caller } from '../../platform/http/route.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import type { BatchStatus } from '../populate/population-batch.rules.ts';

/** A batch in a list of them. */
export interface ListedBatch {
  batchId: string;
  status: BatchStatus;
  importSuppliers: string[];
  createdAt: Date;
  endedAt: Date | null;
  operatorProgress: { networkOperator: NetworkOperatorName; accepted: number; imported: number; errored: number }[];
}

/** By the index, however many batches there are: ids are in the order of their time. */
const newest = (name: string, condition: string): PreparedQuery => ({
  name,
  text: `
    select b.id as "batchId", b.status, b.created_at as "createdAt", b.ended_at as "endedAt",
      array(select i.import_supplier from population_batch_import_supplier i where i.batch_id = b.id order by 1) as "importSuppliers",
      (select coalesce(jsonb_agg(jsonb_build_object('networkOperator', s.network_operator, 'accepted', s.accepted, 'imported', s.imported, 'errored', s.errored)), '[]')
        from population_operator_progress s where s.batch_id = b.id) as "operatorProgress"
    from population_batch b
    where b.id < coalesce($1::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff') and ${condition}
    order by b.id desc limit $2`,
});
const OF_ALL = newest('newest-batches-of-all', 'true');
const OF_VIEWER = newest(
  'newest-batches-of-viewer',
  `b.organisation_id = (select id from organisation where name = $3)
      and not exists (select from population_batch_import_supplier i where i.batch_id = b.id and i.import_supplier <> all ($4::text[]))`,
);

/** The newest batches, or those before one of them; with `viewer` only those that are of their organisation and of no import supplier but theirs. */
export async function findNewestBatches(
  database: Queryable,
  before: string | undefined,
  limit: number,
  viewer?: Pick<Caller, 'organisation' | 'importSuppliers'>,
): Promise<ListedBatch[]> {
  const page = [before ?? null, limit];
  return viewer === undefined
    ? run<ListedBatch & Record<string, unknown>>(database, OF_ALL, page)
    : run<ListedBatch & Record<string, unknown>>(database, OF_VIEWER, [
        ...page,
        viewer.organisation,
        [...viewer.importSuppliers],
      ]);
}
