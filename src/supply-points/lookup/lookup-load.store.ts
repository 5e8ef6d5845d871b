import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { USED_SHARE } from '../throttle/throttle.rules.ts';

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
  /** The speed of lookups if there are enough of them. */
  usedPerSecond: number;
  /** Until when the network operator has asked us to wait. */
  blockedUntil: Date | null;
}

const LOADS: PreparedQuery = {
  name: 'lookup-loads',
  // Open batches only, by their index. Rates as in the counts of one batch.
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
