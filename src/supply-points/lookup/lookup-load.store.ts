import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { USED_SHARE } from '../throttle/throttle.rules.ts';

/** What a network operator has still to be asked, how fast that goes, and how fast it may. */
export interface LookupLoad {
  networkOperator: NetworkOperatorName;
  openBatches: number;
  /** Over all open batches: an identifier that two of them wait for counts for both. */
  pending: number;
  /** Outcomes a second, lately, counted in the same way. */
  perSecond: number;
  requestsPerSecond: number;
  requestsPerHour: number;
  /** What lookups run at where there are enough of them. */
  usedPerSecond: number;
  /** The network operator itself asked us to wait until then. */
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

/** What lookups there are to be done at each network operator. */
export async function findLookupLoads(on: Queryable): Promise<LookupLoad[]> {
  return run<LookupLoad & Record<string, unknown>>(on, LOADS, [USED_SHARE]);
}
