import type { Askable, Queryable } from '../platform/database/prepared-query.ts';
import { countFailing, type StuckCount } from '../platform/work-items/work-failure.store.ts';
import { findDeferred } from '../supply-points/index.ts';
import { countDecisions } from '../switching/index.ts';

/** The party of what only a decision by an operator moves. */
const OPERATOR = 'operator';

/** Counts what is stuck by cause and party, exactly and from Postgres alone. */
export async function countStuck(database: Askable & Queryable): Promise<StuckCount[]> {
  const [failing, decisions, deferred] = await Promise.all([
    countFailing(database),
    countDecisions(database),
    findDeferred(database),
  ]);
  return [
    ...failing,
    ...decisions.map((one) => ({ ...one, party: OPERATOR })),
    ...deferred.map(({ networkOperator, since }) => ({
      cause: 'look_ups_set_aside',
      party: networkOperator,
      count: 1,
      oldest: since,
    })),
  ];
}
