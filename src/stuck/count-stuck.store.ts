import { countSlotsInUse } from '../account-import/index.ts';
import type { Queryable } from '../platform/database/prepared-query.ts';
import type { Backlog } from '../platform/metrics/observed-metrics.ts';
import { readDispatcher } from '../platform/work-items/dispatcher-lease.store.ts';
import { countFailing, type StuckCount } from '../platform/work-items/work-failure.store.ts';
import { countDueWork } from '../platform/work-items/work-item.store.ts';
import { findDeferred } from '../supply-points/index.ts';
import { countDecisions } from '../switching/index.ts';
import { viewOfDueWork } from './backlog-view.rules.ts';
import type { DueWorkView } from './stuck.schema.ts';

/** The party of work that needs a decision. */
const OPERATOR = 'operator';

/** Counts stuck work by cause and party, from Postgres only. */
export async function countStuck(database: Queryable): Promise<StuckCount[]> {
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

/** Reads the backlog of the whole service. */
export async function readBacklog(database: Queryable): Promise<Backlog> {
  const [kinds, dispatcher, slots] = await Promise.all([
    countDueWork(database),
    readDispatcher(database),
    countSlotsInUse(database),
  ]);
  return { kinds, dispatcher, slots };
}

/** The view of the backlog. */
export async function readDueWorkView(database: Queryable): Promise<DueWorkView> {
  return viewOfDueWork(await readBacklog(database));
}
