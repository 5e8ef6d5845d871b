import { workflowIds } from '../../temporal.config.ts';
import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import {
  unfinishedState,
  type UnfinishedRow,
  type UnfinishedState,
} from '../platform/work-items/compared-work.store.ts';
import { workItemIdSql } from '../platform/work-items/work-item.store.ts';
import { jobWorkItem } from './import-job.store.ts';

const UNFINISHED: PreparedQuery = {
  name: 'import-jobs-unfinished',
  text: `
    select j.id as key, j.import_supplier as "importSupplier", j.started_at as since,
      (${workItemIdSql(`'${workflowIds.importJob('')}' || j.id`)}) is not null as "hasWork"
    from import_job j where j.status in ('VALIDATING', 'RUNNING', 'PAUSED') and j.id > $1::uuid order by j.id limit $2`,
};

/** Lists jobs that were started and have not ended, after the id `after`. */
export async function findUnfinishedJobs(on: Queryable, after: string, limit: number): Promise<UnfinishedState[]> {
  type Row = UnfinishedRow & { importSupplier: string };
  const rows = await run<Row>(on, UNFINISHED, [after, limit]);
  return rows.map(unfinishedState<Row>(({ key, importSupplier }) => jobWorkItem({ id: key, importSupplier })));
}
