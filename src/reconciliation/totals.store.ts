import { findAccountCounts } from '../account-import/index.ts';
import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { ReconciliationRecord } from './reconciliation.store.ts';

const CREATED_BY_JOBS: PreparedQuery = {
  name: 'reconciled-jobs-created',
  text: 'select id, succeeded from import_job where id = any($1::uuid[])',
};

type Counted = Pick<ReconciliationRecord, 'id' | 'status' | 'importSupplier' | 'importJobId'>;

/** How many accounts those that run compare in all, by their ids; those that have ended are not among them. */
export async function findTotals(on: Queryable, records: readonly Counted[]): Promise<ReadonlyMap<string, number>> {
  const running = records.filter(({ status }) => status === 'RUNNING');
  const jobIds = running.flatMap(({ importJobId }) => importJobId ?? []);
  const jobs = jobIds.length === 0 ? [] : await run<{ id: string; succeeded: number }>(on, CREATED_BY_JOBS, [jobIds]);
  const counts = jobIds.length === running.length ? [] : await findAccountCounts(on);
  return new Map(
    running.map(({ id, importSupplier, importJobId }) => [
      id,
      importJobId === null
        ? (counts.find((one) => one.importSupplier === importSupplier)?.created ?? 0)
        : (jobs.find((job) => job.id === importJobId)?.succeeded ?? 0),
    ]),
  );
}
