import { sql } from 'kysely';
import type { Database } from '../platform/database/database.ts';
import { kyselyOf, type PreparedQuery, type Queryable, run } from '../platform/database/prepared-query.ts';
import type { EventType } from '../vocabulary/events.ts';
import { enqueueDeliveries } from './event-endpoint.store.ts';
import type { EventDeletionTable, EventTable } from './event.entity.ts';
import type { EventCursor, StoredEvent } from './event.rules.ts';

/** An event. It contains keys only, no personal data. */
export interface NewEvent {
  importSupplier: string;
  /** Only keys of this organisation may see it; undefined: all keys of the import supplier. */
  organisation?: string | undefined;
  type: EventType;
  /** The subject, such as `accounts/A-1`. Events of one subject are delivered in order. */
  subject: string;
  /** Keys besides the import supplier. */
  data: Readonly<Record<string, string | null>>;
}

/**
 * SQL that writes the selected events, within the statement that makes the change.
 * @param select returns import supplier, organisation or null, type, subject and data, in the order in which the subjects are locked
 */
export const writeEventsSql = (select: string): string =>
  `insert into event_outbox (import_supplier, organisation, type, subject, data) ${select}`;

const WRITE: PreparedQuery = {
  name: 'events-write',
  text: writeEventsSql(
    'select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::jsonb[]) as e (import_supplier, organisation, type, subject, data)',
  ),
};

/**
 * Writes events in the transaction of the change that they report, after it has locked their subjects. The lock keeps the events of a
 * subject in order.
 */
export async function writeEvents(on: Queryable, events: readonly NewEvent[]): Promise<void> {
  if (events.length === 0) return;
  await run(on, WRITE, [
    events.map(({ importSupplier }) => importSupplier),
    events.map(({ organisation }) => organisation ?? null),
    events.map(({ type }) => type),
    events.map(({ subject }) => subject),
    events.map(({ data }) => JSON.stringify(data)),
  ]);
}

/** Events that get positions in one transaction, which then takes about 30 ms. */
const AT_ONCE = 2_000;

const SEQUENCE: PreparedQuery = { name: 'events-sequence', text: 'select sequence_events($1) as moved' };

/**
 * Assigns positions to events, in separate transactions, until no event waits or another process is assigning positions.
 * @param rounds most transactions
 */
export async function sequenceEvents(database: Queryable, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const [row] = await run<{ moved: number }>(database, SEQUENCE, [AT_ONCE]);
    if (row === undefined || row.moved < AT_ONCE) return;
  }
}

/** Reads a page of each import supplier by key, then takes the first events overall, so that the cost does not depend on the number of events. */
const READ: PreparedQuery = {
  name: 'events-read',
  text: `
    select e.* from unnest($1::text[]) as s (code) cross join lateral (
      select import_supplier as "importSupplier", position, id, type, subject, data, occurred_at as "occurredAt" from event
      where import_supplier = s.code and position > $2 and (organisation is null or organisation = $3) order by position limit $4) e
    order by e.position limit $4`,
};

/** Why a cursor cannot be used: events after it may be deleted, or this reader never received it. */
export type LostCursor = 'past' | 'unknown';

/** Selects the events that a reader may see. */
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
 * @returns at most `limit` events in the order of their positions; or why the cursor cannot be used
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
  const { position, mark } = after;
  const kysely = kyselyOf<EventTable & EventDeletionTable>(on);
  const suppliers = sql<string>`any(${[...viewer.importSuppliers]}::text[])`;
  const deleted = kysely.selectFrom('event_deletion').select('position').where('import_supplier', '=', suppliers);
  const known = kysely
    .selectFrom('event')
    .select('position')
    .where('import_supplier', '=', suppliers)
    .where('position', '=', position)
    .where(sql`left(id::text, 8)`, '=', mark);
  const state = await kysely
    .selectNoFrom(({ exists, or }) => [
      exists(deleted.where('position', '>', position)).as('isPast'),
      or([exists(deleted.where('position', '=', position)), exists(known)]).as('isKnown'),
    ])
    .executeTakeFirstOrThrow();
  if (state.isPast) return 'past';
  return state.isKnown ? events : 'unknown';
}

/** Most events scanned for a page of one account. */
const SCANNED_MAX = 5_000;
const EVENT = [
  'import_supplier as importSupplier',
  'position',
  'id',
  'type',
  'subject',
  'data',
  'occurred_at as occurredAt',
] as const;

/** A page of the newest events. */
export interface NewestEvents {
  events: StoredEvent[];
  /** The position of the next older page; undefined on the last one. */
  next: string | undefined;
  /** When the oldest scanned event happened; undefined without events. */
  scannedBackTo: Date | undefined;
}

/**
 * Reads the newest events of an import supplier, or of one of its accounts, among at most `LOOKED_AT_MAX`.
 * @param wanted `before`: only events before this position; `organisation`: without jobs and batches of other ones
 */
export async function readNewest(
  on: Queryable,
  wanted: {
    importSupplier: string;
    subject: string | undefined;
    before: string | undefined;
    organisation: string | undefined;
  },
  limit: number,
): Promise<NewestEvents> {
  const { importSupplier, subject, before, organisation } = wanted;
  const atOnce = subject === undefined ? limit : SCANNED_MAX;
  const rows = await kyselyOf<EventTable>(on)
    .with('scanned', (of) =>
      of
        .selectFrom('event')
        .select(EVENT)
        .where('import_supplier', '=', importSupplier)
        .$if(before !== undefined, (query) => query.where('position', '<', before!))
        .$if(organisation !== undefined, (query) =>
          query.where((is) => is.or([is('organisation', 'is', null), is('organisation', '=', organisation!)])),
        )
        .orderBy('position', 'desc')
        .limit(atOnce),
    )
    .with('summary', (of) =>
      of
        .selectFrom('scanned')
        .select(({ fn }) => [
          sql<number>`count(*)::integer`.as('count'),
          fn.min('position').as('floor'),
          fn.min('occurredAt').as('since'),
        ]),
    )
    .selectFrom('summary')
    .leftJoin('scanned as e', (join) => (subject === undefined ? join.onTrue() : join.on('e.subject', '=', subject)))
    .selectAll()
    .orderBy('e.position', 'desc')
    .limit(limit)
    .execute();
  const { count, floor, since } = rows[0]!;
  const events = rows.filter((row): row is typeof row & StoredEvent => row.id !== null);
  const isFull = events.length === limit;
  const last = isFull ? events.at(-1)!.position : (floor ?? undefined);
  return { events, next: isFull || count === atOnce ? last : undefined, scannedBackTo: since ?? undefined };
}

/** Reads the newest events of a wave, newest first. Events appear once they have a position. */
export async function readEventsOfWave(on: Queryable, waveId: string, limit: number): Promise<StoredEvent[]> {
  return (
    kyselyOf<EventTable>(on)
      .selectFrom('event')
      .select(EVENT)
      .where('subject', '=', `waves/${waveId}`)
      // Written as in the condition of the index, without which all events would be scanned.
      .where(sql<boolean>`subject like 'waves/%'`)
      .orderBy('position', 'desc')
      .limit(limit)
      .execute()
  );
}

/** Enough transactions for all events between two rounds, even at full creation speed. */
const ROUNDS_OF_SEQUENCING = 50;

/**
 * Returns the maintenance of events for the dispatcher's rounds: assign positions, enqueue deliveries, and drop the months whose events
 * are all older than the setting.
 */
export function keepEvents(database: Database, kept: { EVENTS_KEPT_DAYS: number }): () => Promise<void> {
  return async () => {
    await sequenceEvents(database, ROUNDS_OF_SEQUENCING);
    await enqueueDeliveries(database);
    await sql`select drop_old_events(${kept.EVENTS_KEPT_DAYS})`.execute(kyselyOf(database));
  };
}
