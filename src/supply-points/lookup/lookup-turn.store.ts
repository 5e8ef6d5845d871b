import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';

/** A batch whose turn it is, and the organisation that owns it. */
export interface Turn {
  batchId: string;
  owner: string;
}

/**
 * Whose turn it is: the organisation that was served longest ago, or that has waited longest; of its batches the one that
 * was served longest ago. Only batches with something that may be taken now.
 */
const TURNS: PreparedQuery = {
  name: 'lookup-turns',
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

/** No more than can be asked for in its time, twice over: what is taken and given back costs as much as what is asked. */
const WORTHWHILE: PreparedQuery = {
  name: 'lookup-worthwhile',
  text: 'select least($2, greatest(8, ceil(2 * $3 * least(requests_per_second, requests_per_hour / 3600))))::integer as size from throttle where network_operator = $1',
};

const SERVED: PreparedQuery = {
  name: 'lookup-served',
  text: 'update population_operator_progress set served_at = clock_timestamp() where batch_id = $1 and network_operator = $2',
};

/** The next few turns at a network operator. */
export async function readTurns(database: Queryable, networkOperator: NetworkOperatorName): Promise<Turn[]> {
  return run<Turn & Record<string, unknown>>(database, TURNS, [networkOperator]);
}

/** How many identifiers a page holds at the network operator's speed. */
export async function worthwhileSize(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  { size, seconds }: { size: number; seconds: number },
): Promise<number> {
  const [row] = await run<{ size: number }>(database, WORTHWHILE, [networkOperator, size, seconds]);
  return row?.size ?? size;
}

/** Notes that a batch has had its turn. */
export async function noteServed(
  em: EntityManager,
  batchId: string,
  networkOperator: NetworkOperatorName,
): Promise<void> {
  await run(em, SERVED, [batchId, networkOperator]);
}

/** One of those who wait for a lookup; a page that was taken over does not tell. */
const OWNER: PreparedQuery = {
  name: 'lookup-owner',
  text: 'select b.organisation_id as owner from population_request r join population_batch b on b.id = r.batch_id where r.look_up_id = $1 order by r.batch_id limit 1',
};

/** Whose lookup it is. */
export async function ownerOf(database: Queryable, lookupId: string): Promise<string> {
  const [row] = await run<{ owner: string }>(database, OWNER, [lookupId]);
  return row?.owner ?? '';
}
