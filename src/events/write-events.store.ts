import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import type { EventType } from '../vocabulary/events.ts';

/** Something that has happened. It holds keys alone, no personal data: whoever wants more asks by them. */
export interface NewEvent {
  importSupplier: string;
  /** Whose keys alone may see it; undefined: all keys of the import supplier. */
  organisation?: string | undefined;
  type: EventType;
  /** What it happened to, such as `accounts/A-1`; its events are told in their order. */
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
