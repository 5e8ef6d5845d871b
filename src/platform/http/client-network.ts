import { isIPv4, isIPv6 } from 'node:net';

/** Groups of an IPv6 address that identify a network. A client controls all 2^64 addresses of its network. */
const NETWORK_GROUPS = 4;
const GROUPS = 8;
/** Longer than any address. Other text from a proxy is truncated to this length. */
const TEXT_LENGTH_MAX = 64;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/**
 * Returns the key by which clients are counted: an IPv4 address, or the /64 network of an IPv6 address, within which a client can change
 * its address with every request. A port is removed; text that is not an address is returned truncated.
 */
export function clientNetwork(address: string): string {
  const bare = withoutPort(address.trim());
  const mapped = MAPPED_IPV4.exec(bare)?.[1];
  if (mapped !== undefined) return mapped;
  if (!isIPv6(bare)) return bare.slice(0, TEXT_LENGTH_MAX);
  return `${groupsOf(bare.split('%')[0]!).slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

function withoutPort(address: string): string {
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(address)?.[1];
  if (bracketed !== undefined) return bracketed;
  const [host = '', port] = address.split(':');
  return port !== undefined && isIPv4(host) ? host : address;
}

/** The eight groups of an address, without leading zeros. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const [before, after] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':'))) as [
    string[],
    string[],
  ];
  // A trailing IPv4 address replaces two groups.
  const width = [...before, ...after].reduce((sum, group) => sum + (group.includes('.') ? 2 : 1), 0);
  const between = tail === undefined ? [] : Array.from({ length: GROUPS - width }, () => '0');
  return [...before, ...between, ...after].map((group) => group.replace(/^0+(?=.)/, ''));
}
