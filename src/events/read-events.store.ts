import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { EventCursor, StoredEvent } from './cloud-event.rules.ts';

/** A page of each import supplier, by its key, and the first of them all: no page costs more, however many there are. */
const READ: PreparedQuery = {
  name: 'events-read',
  text: `
    select e.* from unnest($1::text[]) as s (code) cross join lateral (
      select import_supplier as "importSupplier", position, id, type, subject, data, occurred_at as "occurredAt" from event
      where import_supplier = s.code and position > $2 and (organisation is null or organisation = $3) order by position limit $4) e
    order by e.position limit $4`,
};

const PLACE: PreparedQuery = {
  name: 'events-place',
  text: `
    select exists (select from event_deletion where import_supplier = any($1::text[]) and position > $2) as "isPast",
      exists (select from event_deletion where import_supplier = any($1::text[]) and position = $2)
        or exists (select from event where import_supplier = any($1::text[]) and position = $2 and left(id::text, 8) = $3) as "isKnown"`,
};

/** What became of a cursor: events behind it may be deleted, or it was never given to this reader. */
export type LostCursor = 'past' | 'unknown';

/** Whose events are read. */
export interface EventViewer {
  /** Whose jobs and batches are told too; null: of none. */
  organisation: string | null;
  importSuppliers: Iterable<string>;
}

/** Reads at most so many events behind a position, in the order of their positions. */
export async function readEventsAfter(
  on: Queryable,
  viewer: EventViewer,
  position: string,
  limit: number,
): Promise<StoredEvent[]> {
  return run<StoredEvent & Record<string, unknown>>(on, READ, [
    [...viewer.importSuppliers],
    position,
    viewer.organisation,
    limit,
  ]);
}

/**
 * Reads the events after a cursor, or the oldest that are kept.
 * @returns at most `limit` events in the order of their positions; or why nothing can be read behind the cursor
 */
export async function readEvents(
  on: Queryable,
  viewer: EventViewer,
  after: EventCursor | undefined,
  limit: number,
): Promise<StoredEvent[] | LostCursor> {
  const events = await readEventsAfter(on, viewer, after?.position ?? '0', limit);
  if (after === undefined) return events;
  // Looked at after the events were read: what is deleted in between is missing in no page.
  const values = [[...viewer.importSuppliers], after.position, after.mark];
  const [place] = await run<{ isPast: boolean; isKnown: boolean }>(on, PLACE, values);
  if (place?.isPast) return 'past';
  return place?.isKnown ? events : 'unknown';
}
