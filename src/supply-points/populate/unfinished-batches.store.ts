import { sql } from 'kysely';
import { workflowIds } from '../../../temporal.config.ts';
import { kyselyOf, type Askable } from '../../platform/database/prepared-query.ts';
import { unfinishedState, type UnfinishedState } from '../../platform/work-items/compared-work.store.ts';
import { workItemIdSql } from '../../platform/work-items/work-item.store.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import type { ThrottleTable } from '../throttle/throttle.entity.ts';
import type { PopulationBatchTable, PopulationOperatorProgressTable } from './population-batch.entity.ts';
import { batchWorkItem, lookupWorkItem } from './populate.store.ts';

const hasWork = (workflowIdSql: string) =>
  sql<boolean>`(${sql.raw(workItemIdSql(workflowIdSql))}) is not null`.as('hasWork');

/** Lists open batches after the id `after`, for the consistency check with Temporal. */
export async function findUnfinishedBatches(on: Askable, after: string, limit: number): Promise<UnfinishedState[]> {
  const rows = await kyselyOf<PopulationBatchTable>(on)
    .selectFrom('population_batch as b')
    .select(['b.id as key', 'b.created_at as since', hasWork(`'${workflowIds.populateSupplyPoints('')}' || b.id`)])
    .where('b.status', '=', 'IN_PROGRESS')
    .where('b.id', '>', after)
    .orderBy('b.id')
    .limit(limit)
    .execute();
  return rows.map(unfinishedState(({ key }) => batchWorkItem(key)));
}

/** Lists network operators with pending identifiers after the name `after`, for the consistency check with Temporal. */
export async function findUnfinishedLookups(on: Askable, after: string, limit: number): Promise<UnfinishedState[]> {
  const rows = await kyselyOf<ThrottleTable & PopulationOperatorProgressTable>(on)
    .selectFrom('throttle as t')
    .select([
      't.network_operator as key',
      sql<null>`null`.as('since'),
      hasWork(`'${workflowIds.lookUpSupplyPoints('')}' || t.network_operator`),
    ])
    .where('t.network_operator', '>', after as NetworkOperatorName)
    .where((is) =>
      is.exists(
        is
          .selectFrom('population_operator_progress as p')
          .select('p.batch_id')
          .whereRef('p.network_operator', '=', 't.network_operator')
          .where(sql<boolean>`p.imported + p.errored < p.accepted`),
      ),
    )
    .orderBy('t.network_operator')
    .limit(limit)
    .execute();
  return rows.map(unfinishedState(({ key }) => lookupWorkItem(key)));
}
