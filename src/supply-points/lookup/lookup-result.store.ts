import { sql } from 'kysely';
import { type Queryable, kyselyOf, type PreparedQuery, run } from '../../platform/database/prepared-query.ts';
import { type NetworkOperatorName, supplyTypeOfNetworkOperator } from '../../vocabulary/network-operators.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';
import type { LookupTables } from '../supply-point.entity.ts';
import { USED_SHARE } from '../throttle/throttle.rules.ts';

/** The result of a lookup. `facts` and `source` are null if they were found with an authorisation that the batch does not have. */
export interface LookupResult {
  id: string;
  facts: Readonly<Record<string, string | number>> | null;
  source: string | null;
  looked_up_at: string;
}

/** Facts have about 300 bytes each, so a page has fewer results than identifiers. */
const RESULTS_MAX = 1_000;

/** Finds results of a batch, from the start or after the identifiers in the query; at most 1,000 of each list. */
export async function findResults(
  database: Queryable,
  batchId: string,
  query: URLSearchParams,
  listed: number,
): Promise<{ prms: LookupResult[]; pces: LookupResult[] } | Refused> {
  const limit = Math.min(listed, RESULTS_MAX);
  const prms = await resultsAfter(database, batchId, 'enedis', ['prm_after', query.get('prm_after')], limit);
  const pces = await resultsAfter(database, batchId, 'grdf', ['pce_after', query.get('pce_after')], limit);
  const violations = [prms, pces].flatMap((found) => ('code' in found ? [found] : []));
  if (violations.length > 0) return refuse('validation_failed', { violations });
  return { prms: prms as LookupResult[], pces: pces as LookupResult[] };
}

async function resultsAfter(
  database: Queryable,
  batchId: string,
  networkOperator: NetworkOperatorName,
  [parameter, after]: readonly [name: string, value: string | null],
  limit: number,
) {
  const imported = kyselyOf<LookupTables>(database)
    .selectFrom('population_request as r')
    .innerJoin('look_up as l', 'l.id', 'r.look_up_id')
    .where('r.batch_id', '=', batchId)
    .where('r.network_operator', '=', networkOperator)
    .where('r.state', '=', 'imported');
  const from =
    after === null ? { id: '0' } : await imported.select('l.id').where('l.identifier', '=', after).executeTakeFirst();
  if (from === undefined) return violation('invalid', [parameter], 'Use an identifier of imported_results.');
  // Facts that were found with an authorisation are shown only to a batch that has one.
  const isShown = sql`(l.customer_authorisation or not p.facts_with_authorisation)`;
  const rows = await imported
    .innerJoin('supply_point as p', 'p.identifier', 'l.identifier')
    .where('p.supply_type', '=', supplyTypeOfNetworkOperator[networkOperator])
    .select([
      'l.identifier as id',
      sql<LookupResult['facts']>`case when ${isShown} then p.facts end`.as('facts'),
      sql<string | null>`case when ${isShown} then p.facts_source end`.as('source'),
      sql<Date>`case when ${isShown} then p.populated_at else l.completed_at end`.as('at'),
    ])
    .where('r.look_up_id', '>', from.id)
    .orderBy('r.look_up_id')
    .limit(limit)
    .execute();
  return rows.map(({ at, ...found }) => ({ ...found, looked_up_at: at.toISOString() }));
}

/** The pending lookups of a network operator, their rate, and its limits. */
export interface LookupLoad {
  networkOperator: NetworkOperatorName;
  openBatches: number;
  /** Of all open batches; an identifier of two batches counts twice. */
  pending: number;
  /** Recent outcomes per second, counted in the same way. */
  perSecond: number;
  requestsPerSecond: number;
  requestsPerHour: number;
  /** The speed of lookups while enough of them are pending. */
  usedPerSecond: number;
  /** The network operator has requested to receive no calls until this time. */
  blockedUntil: Date | null;
}

const LOADS: PreparedQuery = {
  name: 'lookup-loads',
  // Reads only open batches, which have an index. The rate is that of RATE_SQL.
  text: `
    select t.network_operator as "networkOperator", coalesce(p.batches, 0)::integer as "openBatches", coalesce(p.pending, 0)::float8 as pending,
      coalesce(p.rate, 0)::float8 as "perSecond", t.requests_per_second::float8 as "requestsPerSecond", t.requests_per_hour::float8 as "requestsPerHour",
      round($1::numeric * least(t.requests_per_second, t.requests_per_hour / 3600), 3)::float8 as "usedPerSecond",
      case when t.blocked_until > clock_timestamp() then t.blocked_until end as "blockedUntil"
    from throttle t left join (
      select s.network_operator, count(*) as batches, sum(s.accepted - s.imported - s.errored) as pending,
        sum(case when clock_timestamp() - s.window_at < interval '30 seconds'
          then (s.earlier_count + s.window_count) / greatest(1, extract(epoch from clock_timestamp() - s.earlier_at))
          else s.window_count / extract(epoch from clock_timestamp() - s.window_at) end) as rate
      from population_batch b join population_operator_progress s on s.batch_id = b.id
      where b.status = 'IN_PROGRESS' and s.imported + s.errored < s.accepted
      group by 1) p on p.network_operator = t.network_operator
    order by 1`,
};

/** Reads the load of each network operator. */
export async function findLookupLoads(on: Queryable): Promise<LookupLoad[]> {
  return run<LookupLoad & Record<string, unknown>>(on, LOADS, [USED_SHARE]);
}
