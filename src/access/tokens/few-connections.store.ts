import { bulkhead } from 'cockatiel';
import type { QueryResultRow } from 'pg';
import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';

/**
 * The same database for work that strangers can cause without end: it holds so many connections at most.
 * @throws BulkheadRejectedError of a statement when too many wait already
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
