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
  /** Start of the event id. It distinguishes the position from the same one in a restored database. */
  mark: string;
}

const MARK_LENGTH = 8;
const CURSOR = /^(\d{1,18})-([0-9a-f]{8})$/;

/** The cursor behind an event, as readers are given it. */
export function cursorAfter({ position, id }: Pick<StoredEvent, 'position' | 'id'>): string {
  return `${position}-${id.slice(0, MARK_LENGTH)}`;
}

/** Reads a cursor; undefined if it is malformed. */
export function cursorIn(text: string): EventCursor | undefined {
  const parts = CURSOR.exec(text);
  return parts === null ? undefined : { position: parts[1]!, mark: parts[2]! };
}

/** The event in the form of CloudEvents 1.0, with the cursor as an extension. */
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
