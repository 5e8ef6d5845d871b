import ipaddr from 'ipaddr.js';
import type { EventEndpointView } from './event-endpoint.schema.ts';
import type { EventEndpoint } from './event.entity.ts';
import { type Violation, violation } from '../vocabulary/violations.ts';

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
