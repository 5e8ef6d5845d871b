import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { ReconciliationRecord } from './reconciliation.store.ts';

const CREATED_BY_JOBS: PreparedQuery = {
  name: 'reconciled-jobs-created',
  text: 'select id as of, succeeded as created from import_job where id = any($1::uuid[])',
};
/** What was not folded yet is added (docs/decisions/0048-counts-by-appending.md). */
const CREATED_OF_SUPPLIERS: PreparedQuery = {
  name: 'reconciled-suppliers-created',
  text: `
    select import_supplier as of, sum(count)::float8 as created from (
      select import_supplier, count from account_count where state = 'created'
      union all
      select import_supplier, change from account_count_change where state = 'created') counted
    where import_supplier = any($1::text[]) group by 1`,
};

type Counted = Pick<ReconciliationRecord, 'id' | 'status' | 'importSupplier' | 'importJobId'>;

/** How many accounts those that run compare in all, by their ids; those that have ended are not among them. */
export async function findTotals(on: Queryable, records: readonly Counted[]): Promise<ReadonlyMap<string, number>> {
  const running = records.filter(({ status }) => status === 'RUNNING');
  const count = async (query: PreparedQuery, of: readonly string[]) =>
    of.length === 0 ? [] : run<{ of: string; created: number }>(on, query, [of]);
  const jobs = await count(
    CREATED_BY_JOBS,
    running.flatMap(({ importJobId }) => importJobId ?? []),
  );
  const suppliers = await count(
    CREATED_OF_SUPPLIERS,
    running.flatMap(({ importSupplier, importJobId }) => (importJobId === null ? [importSupplier] : [])),
  );
  const created = new Map([...jobs, ...suppliers].map((one) => [one.of, one.created]));
  return new Map(
    running.map(({ id, importSupplier, importJobId }) => [id, created.get(importJobId ?? importSupplier) ?? 0]),
  );
}
