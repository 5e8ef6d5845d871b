import { bulkhead } from 'cockatiel';
import type { QueryResultRow } from 'pg';
import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';

/**
 * The same database with a limited number of connections, for work that unauthenticated clients can cause without bound.
 * @throws BulkheadRejectedError of a statement if too many are waiting
 */
export function withFewConnections(
  database: Queryable,
  { underWay, waiting }: { underWay: number; waiting: number },
): Queryable {
  const lane = bulkhead(underWay, waiting);
  return {
    run: <Row extends QueryResultRow>(statement: PreparedQuery, values: readonly unknown[]) =>
      lane.execute(() => run<Row>(database, statement, values)),
  };
}
