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
  /** The organisation whose jobs and batches are included; null: none. */
  organisation: string | null;
  importSuppliers: Iterable<string>;
}

/** Reads at most `limit` events after a position, in order. */
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
  // Checked after the events were read, so that a concurrent deletion is noticed.
  const values = [[...viewer.importSuppliers], after.position, after.mark];
  const [place] = await run<{ isPast: boolean; isKnown: boolean }>(on, PLACE, values);
  if (place?.isPast) return 'past';
  return place?.isKnown ? events : 'unknown';
}

/** Most events of the import supplier that a page of one account scans. */
const LOOKED_AT_MAX = 5_000;
const NEWEST: PreparedQuery = {
  name: 'events-newest',
  text: `
    with looked as materialized (
      select import_supplier as "importSupplier", position, id, type, subject, data, occurred_at as "occurredAt" from event
      where import_supplier = $1 and ($2::bigint is null or position < $2) order by position desc limit $3)
    select e.*, o.count::integer as looked, o.floor, o.since from (select count(*), min(position) as floor, min("occurredAt") as since from looked) o
      left join lateral (select * from looked where $4::text is null or subject = $4 order by position desc limit $5) e on true`,
};

/** A page of the newest events. */
export interface NewestEvents {
  events: StoredEvent[];
  /** The position of the next older page; undefined on the last one. */
  next: string | undefined;
  /** When the oldest scanned event happened; undefined without events. */
  lookedBackTo: Date | undefined;
}

/**
 * Reads the newest events of an import supplier, or of one of its accounts, among at most `LOOKED_AT_MAX`.
 * @param before the position that they come before; undefined for the newest of all
 */
export async function readNewest(
  on: Queryable,
  wanted: { importSupplier: string; subject: string | undefined; before: string | undefined },
  limit: number,
): Promise<NewestEvents> {
  const { importSupplier, subject, before } = wanted;
  const atOnce = subject === undefined ? limit : LOOKED_AT_MAX;
  const rows = await run<
    Nullable<StoredEvent> & { looked: number; floor: string | null; since: Date | null } & Record<string, unknown>
  >(on, NEWEST, [importSupplier, before ?? null, atOnce, subject ?? null, limit]);
  const { looked, floor, since } = rows[0]!;
  const events = rows.filter((row): row is typeof row & StoredEvent => row.id !== null);
  const isFull = events.length === limit;
  const last = isFull ? events.at(-1)!.position : (floor ?? undefined);
  return { events, next: isFull || looked === atOnce ? last : undefined, lookedBackTo: since ?? undefined };
}

type Nullable<Row> = { [Name in keyof Row]: Row[Name] | null };
