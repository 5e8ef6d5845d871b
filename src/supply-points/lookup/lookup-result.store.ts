import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import { supplyTypeOfNetworkOperator, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { violation } from '../../vocabulary/violations.ts';

/** What a lookup found. `facts` and `source` are null where the batch has no authorisation and the facts were found with one. */
export interface LookupResult {
  id: string;
  facts: Readonly<Record<string, string | number>> | null;
  source: string | null;
  looked_up_at: string;
}

/** Facts are some 300 bytes each, so that fewer of them are listed at once than identifiers. */
const RESULTS_MAX = 1_000;

const POSITION: PreparedQuery = {
  name: 'lookup-result-position',
  text: `
    select l.id from look_up l join population_request r on r.look_up_id = l.id and r.batch_id = $1 and r.state = 'imported'
    where l.network_operator = $2 and l.identifier = $3`,
};

const RESULTS: PreparedQuery = {
  name: 'lookup-results',
  text: `
    select l.identifier as id, case when shown then p.facts end as facts, case when shown then p.facts_source end as source, case when shown then p.populated_at else l.completed_at end as at
    from population_request r join look_up l on l.id = r.look_up_id join supply_point p on p.supply_type = $3 and p.identifier = l.identifier
      cross join lateral (select l.customer_authorisation or not p.facts_with_authorisation as shown) s
    where r.batch_id = $1 and r.network_operator = $2 and r.state = 'imported' and r.look_up_id > $4 order by r.look_up_id limit $5`,
};

/** What was found for a batch, from the start or after the identifiers that the query names; at most 1,000 of each list. */
export async function findResults(
  database: Queryable,
  batchId: string,
  query: URLSearchParams,
  listed: number,
): Promise<{ prms: LookupResult[]; pces: LookupResult[] } | Refused> {
  const limit = Math.min(listed, RESULTS_MAX);
  const prms = await resultsAfter(database, {
    batchId,
    networkOperator: 'enedis',
    parameter: 'prm_after',
    after: query.get('prm_after'),
    limit,
  });
  const pces = await resultsAfter(database, {
    batchId,
    networkOperator: 'grdf',
    parameter: 'pce_after',
    after: query.get('pce_after'),
    limit,
  });
  const violations = [prms, pces].flatMap((found) => ('code' in found ? [found] : []));
  if (violations.length > 0) return refuse('validation_failed', { violations });
  return { prms: prms as LookupResult[], pces: pces as LookupResult[] };
}

interface Wanted {
  batchId: string;
  networkOperator: NetworkOperatorName;
  parameter: string;
  after: string | null;
  limit: number;
}

async function resultsAfter(database: Queryable, { batchId, networkOperator, parameter, after, limit }: Wanted) {
  const [from] =
    after === null ? [{ id: '0' }] : await run<{ id: string }>(database, POSITION, [batchId, networkOperator, after]);
  if (from === undefined) {
    return violation('invalid', [parameter], 'An identifier that stands in imported_results is expected.');
  }
  const rows = await run<{ id: string; facts: LookupResult['facts']; source: string | null; at: Date }>(
    database,
    RESULTS,
    [batchId, networkOperator, supplyTypeOfNetworkOperator[networkOperator], from.id, limit],
  );
  return rows.map(({ id, facts, source, at }) => ({ id, facts, source, looked_up_at: at.toISOString() }));
}
