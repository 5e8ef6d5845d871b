import type { EventType } from '../vocabulary/events.ts';
import ipaddr from 'ipaddr.js';
import type { EventEndpointView } from './event-endpoint.schema.ts';
import type { EventEndpoint } from './event.entity.ts';
import { type Violation, violation } from '../vocabulary/violations.ts';

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

/** Validates the URL of an endpoint. @param allowsPrivate also accepts plain HTTP and private addresses */
export function findUrlViolations(url: string, allowsPrivate: boolean): Violation[] {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !(parsed.protocol === 'https:' || (allowsPrivate && parsed.protocol === 'http:'))) {
    return [violation('invalid', ['url'], 'Send a complete address that begins with https://.')];
  }
  if (parsed.username !== '' || parsed.password !== '' || parsed.hash !== '') {
    return [violation('invalid', ['url'], 'The address must not contain a user name, a password or a fragment (#).')];
  }
  if (!isAllowedHost(url, allowsPrivate)) {
    return [violation('invalid', ['url'], 'The address is not public, so events are not delivered to it.')];
  }
  return [];
}

/** Ranges that are not reachable on the internet, although ipaddr.js counts them as unicast: IPv4-compatible, discard-only and the former 6bone. */
const RESERVED = ['::/96', '100:0:0:1::/64', '3ffe::/16'].map((range) => ipaddr.IPv6.parseCIDR(range));
/** Ranges of a private network. Excludes link-local addresses, at which clouds serve credentials of the machine. */
const PRIVATE_RANGES: readonly string[] = ['private', 'uniqueLocal', 'loopback', 'carrierGradeNat'];

/** Whether events may be delivered to an IP address. @param allowsPrivate also accepts addresses of private networks and of this machine */
export function isAllowedAddress(address: string, allowsPrivate: boolean): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address that is mapped to IPv6 counts as IPv4.
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (PRIVATE_RANGES.includes(range)) return allowsPrivate;
  const isReserved = parsed instanceof ipaddr.IPv6 && RESERVED.some((reserved) => parsed.match(reserved));
  return range === 'unicast' && !isReserved;
}

/** Whether the host of a URL is allowed, as far as known without a DNS lookup: checks IP addresses and names of this machine. */
export function isAllowedHost(url: string, allowsPrivate: boolean): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host)) return isAllowedAddress(host, allowsPrivate);
  return allowsPrivate || !/(^|\.)localhost\.?$/i.test(host);
}

/** An endpoint as operators and the audit see it. */
export function viewOfEndpoint(record: EventEndpoint): EventEndpointView {
  return {
    endpoint_id: record.id,
    import_supplier: record.importSupplier,
    organisation: record.organisation ?? null,
    url: withoutQuery(record.url),
    old_secret_until: isOldValid(record) ? record.oldSecretUntil!.toISOString() : null,
    delivered_at: record.deliveredAt?.toISOString() ?? null,
    failing_since: record.failingSince?.toISOString() ?? null,
    failure: record.failure ?? null,
    created_at: record.createdAt.toISOString(),
    ended_at: record.endedAt?.toISOString() ?? null,
    ended_because: record.endedBecause ?? null,
  };
}

/** Whether the former secret still signs. */
export function isOldValid({ oldSecretUntil }: EventEndpoint): boolean {
  return (oldSecretUntil ?? 0) > new Date();
}

/** Masks the query as `?***`, because receivers put tokens into it. */
function withoutQuery(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return `${origin}${pathname}${search === '' ? '' : '?***'}`;
}
