import type { Database } from '../platform/database/database.ts';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { enqueueDeliveries } from './event-endpoint.store.ts';
import { sequenceEvents } from './write-events.store.ts';

/** Deleted in one transaction. */
const DELETED_AT_ONCE = 1_000;
/** Longest deletion of one round. */
const DELETES_MS = 5_000;
/** Enough for all events between two rounds, however fast accounts are created. */
const ROUNDS_OF_SEQUENCING = 50;

const SUPPLIERS: PreparedQuery = { name: 'events-suppliers', text: 'select code from import_supplier order by code' };

/** Positions follow time closely, so only the oldest positions are scanned. */
const DELETE: PreparedQuery = {
  name: 'events-delete',
  text: `
    with gone as (
      delete from event where import_supplier = $1 and occurred_at < now() - make_interval(days => $2)
        and position <= (
          select max(position) from (select position from event where import_supplier = $1 order by position limit $3) oldest)
      returning position)
    insert into event_deletion as d (import_supplier, position) select $1, max(position) from gone having count(*) > 0
    on conflict (import_supplier) do update set position = excluded.position
    returning (select count(*)::integer from gone) as count`,
};

/**
 * Returns the maintenance of events for the dispatcher's rounds: assign positions, enqueue deliveries, and delete events that are older
 * than the setting, in pages.
 */
export function keepEvents(database: Database, kept: { EVENTS_KEPT_DAYS: number }): () => Promise<void> {
  return async () => {
    await sequenceEvents(database, ROUNDS_OF_SEQUENCING);
    await enqueueDeliveries(database);
    const until = performance.now() + DELETES_MS;
    for (const { code } of await run<{ code: string }>(database, SUPPLIERS, [])) {
      let deleted = DELETED_AT_ONCE;
      while (deleted === DELETED_AT_ONCE && performance.now() < until) {
        const [row] = await run<{ count: number }>(database, DELETE, [code, kept.EVENTS_KEPT_DAYS, DELETED_AT_ONCE]);
        deleted = row?.count ?? 0;
      }
    }
  };
}
