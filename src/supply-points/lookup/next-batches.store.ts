import { type EntityManager, raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { kyselyOf, run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { type LookupTables, PopulationOperatorProgress } from '../supply-point.entity.ts';

/** A batch to serve, and the organisation that owns it. */
interface NextBatch {
  batchId: string;
  owner: string;
}

/**
 * Fair scheduling: first the organisation that was served longest ago, or if never served, has waited longest; of its batches, the one
 * served longest ago. Only batches with free lookups.
 */
const NEXT_BATCHES: PreparedQuery = {
  name: 'lookup-next-batches',
  text: `
    select batch_id as "batchId", organisation_id as owner from (
      select s.batch_id, b.organisation_id
      from population_operator_progress s join population_batch b on b.id = s.batch_id
      where s.network_operator = $1 and s.imported + s.errored < s.accepted
      window owners as (partition by b.organisation_id rows between unbounded preceding and unbounded following)
      order by coalesce(max(nullif(s.served_at, '-infinity')) over owners, min(b.created_at) over owners), b.organisation_id, s.served_at, s.batch_id
      offset 0
    ) open
    where exists (select from population_chunk p where p.batch_id = open.batch_id and p.network_operator = $1 and not p.is_cancelled)
      or exists (
        select from population_request r join look_up l on l.id = r.look_up_id
        where r.batch_id = open.batch_id and r.network_operator = $1 and r.state = 'pending' and l.state = 'pending' and l.taken_by is null
      )
    limit 10`,
};

/** Returns the next batches to serve at a network operator. */
export async function findNextBatches(database: Queryable, networkOperator: NetworkOperatorName): Promise<NextBatch[]> {
  return run<NextBatch & Record<string, unknown>>(database, NEXT_BATCHES, [networkOperator]);
}

/**
 * Limits a page to twice the lookups that fit into its time at the network operator's speed, because releasing an unused lookup costs as
 * much as completing one.
 */
export async function worthwhileSize(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  { size, seconds }: { size: number; seconds: number },
): Promise<number> {
  const row = await kyselyOf<LookupTables>(database)
    .selectFrom('throttle')
    .select(
      sql<number>`least(${size}::integer, greatest(8, ceil(2 * ${seconds} * least(requests_per_second, requests_per_hour / 3600))))::integer`.as(
        'size',
      ),
    )
    .where('network_operator', '=', networkOperator)
    .executeTakeFirstOrThrow();
  return row.size;
}

/** Records that a batch has been served. */
export async function recordServed(
  em: EntityManager,
  batchId: string,
  networkOperator: NetworkOperatorName,
): Promise<void> {
  const servedAt = raw('clock_timestamp()');
  await em.nativeUpdate(PopulationOperatorProgress, { batchId, networkOperator }, { servedAt });
}

/** Returns an organisation that owns a lookup. */
export async function ownerOf(database: Queryable, lookupId: string): Promise<string> {
  const row = await kyselyOf<LookupTables>(database)
    .selectFrom('population_request as r')
    .innerJoin('population_batch as b', 'b.id', 'r.batch_id')
    .select('b.organisation_id as owner')
    .where('r.look_up_id', '=', lookupId)
    .orderBy('r.batch_id')
    .limit(1)
    .executeTakeFirst();
  return row?.owner ?? '';
}
