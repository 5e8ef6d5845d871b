import type { EventType } from '../vocabulary/events.ts';

/** An event as it is stored. */
export interface StoredEvent {
  importSupplier: string;
  position: string;
  id: string;
  type: EventType;
  subject: string;
  data: Record<string, unknown>;
  occurredAt: Date;
}

/** A position in the list of events; opaque to readers. */
export interface EventCursor {
  position: string;
  /** Start of the event id. After a restore of the database, the same position may belong to another event. */
  mark: string;
}

const MARK_LENGTH = 8;
const CURSOR = /^(\d{1,18})-([0-9a-f]{8})$/;

/** Returns the cursor after an event. */
export function cursorAfter({ position, id }: Pick<StoredEvent, 'position' | 'id'>): string {
  return `${position}-${id.slice(0, MARK_LENGTH)}`;
}

/** Reads a cursor; undefined if it is malformed. */
export function cursorIn(text: string): EventCursor | undefined {
  const parts = CURSOR.exec(text);
  return parts === null ? undefined : { position: parts[1]!, mark: parts[2]! };
}

/** Converts an event to the format of CloudEvents 1.0, with the cursor as an extension. */
export function cloudEventOf(event: StoredEvent) {
  return {
    specversion: '1.0',
    id: event.id,
    source: `/import-suppliers/${encodeURIComponent(event.importSupplier)}`,
    type: event.type,
    subject: event.subject,
    time: event.occurredAt.toISOString(),
    datacontenttype: 'application/json',
    cursor: cursorAfter(event),
    data: { import_supplier: event.importSupplier, ...event.data },
  };
}

/** How an activity ended. `done`: nothing is left to deliver; `ended`: the endpoint accepts no more events. */
export type DeliveryProgress = 'more' | 'done' | 'ended';

/**
 * Splits a page into groups of events that can be delivered concurrently: at most `atOnce`, and no two of one subject.
 * @returns all events of the page, in their order
 */
export function wavesOf<Event extends { subject: string }>(events: readonly Event[], atOnce: number): Event[][] {
  const waves: Event[][] = [];
  for (const event of events) {
    const last = waves.at(-1);
    if (last !== undefined && last.length < atOnce && !last.some(({ subject }) => subject === event.subject)) {
      last.push(event);
    } else waves.push([event]);
  }
  return waves;
}
