import { type PreparedQuery, type Queryable, run } from '../platform/database/prepared-query.ts';
import type { EventType } from '../vocabulary/events.ts';

/** An event. It contains keys only, no personal data. */
export interface NewEvent {
  importSupplier: string;
  /** Whose keys alone may see it; undefined: all keys of the import supplier. */
  organisation?: string | undefined;
  type: EventType;
  /** What it happened to, such as `accounts/A-1`; events of one subject are delivered in order. */
  subject: string;
  /** Keys beside the import supplier. */
  data: Readonly<Record<string, string | null>>;
}

/**
 * SQL that writes the events that a select finds, as a part of a statement that makes them true.
 * @param select its columns are import supplier, organisation or null, type, subject and data; ordered as its subjects are locked
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
 * Writes events in the transaction that makes them true, after it has locked their subjects: the lock is what puts the events
 * of a subject in order.
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

/** Events that get their positions in one transaction, which lasts about 30 ms then. */
const AT_ONCE = 2_000;

const SEQUENCE: PreparedQuery = { name: 'events-sequence', text: 'select sequence_events($1) as moved' };

/**
 * Gives events their positions, in transactions of their own, until none waits or another process is at it.
 * @param rounds most transactions
 */
export async function sequenceEvents(database: Queryable, rounds: number): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const [row] = await run<{ moved: number }>(database, SEQUENCE, [AT_ONCE]);
    if (row === undefined || row.moved < AT_ONCE) return;
  }
}
