import { workflowIds } from '../../../temporal.config.ts';
import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import { asking, type AskingRow, type AskingState } from '../../platform/work-items/compared-work.store.ts';
import { workItemIdSql } from '../../platform/work-items/work-item.store.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { batchWorkItem, lookupWorkItem } from './populate.store.ts';

const BATCHES: PreparedQuery = {
  name: 'population-batches-asking',
  text: `
    select b.id as key, b.created_at as since, (${workItemIdSql(`'${workflowIds.populateSupplyPoints('')}' || b.id`)}) is not null as "hasWork"
    from population_batch b where b.status = 'IN_PROGRESS' and b.id > $1::uuid order by b.id limit $2`,
};

const OPERATORS: PreparedQuery = {
  name: 'lookups-asking',
  text: `
    select t.network_operator as key, null::timestamptz as since, (${workItemIdSql(`'${workflowIds.lookUpSupplyPoints('')}' || t.network_operator`)}) is not null as "hasWork"
    from throttle t
    where t.network_operator > $1 and exists (
      select from population_operator_progress p where p.network_operator = t.network_operator and p.imported + p.errored < p.accepted)
    order by t.network_operator limit $2`,
};

/** A page of the batches that have not ended, after the id `after`. */
export async function findAskingBatches(on: Queryable, after: string, limit: number): Promise<AskingState[]> {
  const rows = await run<AskingRow>(on, BATCHES, [after, limit]);
  return rows.map(asking(({ key }) => batchWorkItem(key)));
}

/** The network operators at which something is pending, after the name `after`. */
export async function findAskingLookups(on: Queryable, after: string, limit: number): Promise<AskingState[]> {
  const rows = await run<AskingRow>(on, OPERATORS, [after, limit]);
  return rows.map(asking(({ key }) => lookupWorkItem(key as NetworkOperatorName)));
}
