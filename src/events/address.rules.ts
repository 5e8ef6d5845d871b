import ipaddr from 'ipaddr.js';

/** Not reachable on the internet, although ipaddr.js counts them as unicast: IPv4-compatible, discard-only and the former 6bone. */
const RESERVED = ['::/96', '100:0:0:1::/64', '3ffe::/16'].map((range) => ipaddr.IPv6.parseCIDR(range));
/** Ranges of a private network. Link-local addresses are not among them: clouds serve credentials of the machine there. */
const PRIVATE_RANGES: readonly string[] = ['private', 'uniqueLocal', 'loopback', 'carrierGradeNat'];

/** Whether events may be delivered to an IP address. @param allowsPrivate accepts addresses of private networks and of this machine */
export function isAllowedAddress(address: string, allowsPrivate: boolean): boolean {
  if (!ipaddr.isValid(address)) return false;
  // An IPv4 address that is mapped to IPv6 counts as IPv4.
  const parsed = ipaddr.process(address);
  const range = parsed.range();
  if (PRIVATE_RANGES.includes(range)) return allowsPrivate;
  const isReserved = parsed instanceof ipaddr.IPv6 && RESERVED.some((reserved) => parsed.match(reserved));
  return range === 'unicast' && !isReserved;
}

/** Whether the host of an address is allowed as far as it can be known without a lookup: an IP address, or a name of this machine. */
export function isAllowedHost(url: string, allowsPrivate: boolean): boolean {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host)) return isAllowedAddress(host, allowsPrivate);
  return allowsPrivate || !/(^|\.)localhost\.?$/i.test(host);
}
