import { workflowIds } from '../../temporal.config.ts';
import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import { asking, type AskingRow, type AskingState } from '../platform/work-items/compared-work.store.ts';
import { workItemIdSql } from '../platform/work-items/work-item.store.ts';
import { reconciliationWorkItem } from './reconciliation.store.ts';

const ASKING: PreparedQuery = {
  name: 'reconciliations-asking',
  text: `
    select r.id as key, r.import_supplier as "importSupplier", r.created_at as since,
      (${workItemIdSql(`'${workflowIds.reconcile('')}' || r.id`)}) is not null as "hasWork"
    from reconciliation r where r.status = 'RUNNING' and r.id > $1::uuid order by r.id limit $2`,
};

/** A page of the reconciliations that have not ended, after the id `after`. */
export async function findAskingReconciliations(on: Queryable, after: string, limit: number): Promise<AskingState[]> {
  type Row = AskingRow & { importSupplier: string };
  const rows = await run<Row>(on, ASKING, [after, limit]);
  return rows.map(asking<Row>(({ key, importSupplier }) => reconciliationWorkItem({ id: key, importSupplier })));
}
