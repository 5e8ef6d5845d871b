import ipaddr from 'ipaddr.js';

/** Groups of an IPv6 address that identify a network. A client controls all 2^64 addresses of its network. */
const NETWORK_GROUPS = 4;
/** Longer than any address. Other text from a proxy is truncated to this length. */
const TEXT_LENGTH_MAX = 64;
const WITH_PORT = /^\[([^\]]*)\](?::\d+)?$|^([\d.]+):\d+$/;

/**
 * Returns the key by which clients are counted: an IPv4 address, or the /64 network of an IPv6 address, within which a client can change
 * its address with every request. A port is removed; text that is not an address is returned truncated.
 */
export function clientNetwork(address: string): string {
  const text = address.trim();
  const [, ipv6, ipv4] = WITH_PORT.exec(text) ?? [];
  const host = ipv6 ?? ipv4 ?? text;
  if (!ipaddr.IPv6.isValid(host)) return host.slice(0, TEXT_LENGTH_MAX);
  // An IPv4 address that is mapped to IPv6 counts as IPv4.
  const parsed = ipaddr.process(host);
  if (parsed instanceof ipaddr.IPv4) return parsed.toString();
  const groups = parsed.parts.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${groups.join(':')}::/64`;
}
