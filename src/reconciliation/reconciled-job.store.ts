import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { ReconciliationViewer } from './reconciliation.store.ts';

const FIND: PreparedQuery = {
  name: 'reconciled-job-find',
  text: `
    select id, import_supplier as "importSupplier",
      kind = 'accounts' and goal = 'CREATE' and started_at is not null and results_deleted_at is null as "canBeCompared"
    from import_job where id = $1 and ($2::text is null or (organisation = $2 and import_supplier = any($3::text[])))`,
};

/** An import job, and whether its accounts can still be found by its lines; with `viewer` only if they may see it. */
export async function findJobToReconcile(
  on: Queryable,
  jobId: string,
  viewer: ReconciliationViewer | undefined,
): Promise<{ id: string; importSupplier: string; canBeCompared: boolean } | undefined> {
  const seen = [viewer?.organisation ?? null, [...(viewer?.importSuppliers ?? [])]];
  const [job] = await run<{ id: string; importSupplier: string; canBeCompared: boolean }>(on, FIND, [jobId, ...seen]);
  return job;
}
