/** SQL of an id with a timestamp (UUID version 7). @param of one digit that distinguishes ids of the same time */
export function idOf(at: string, of: number, n: string): string {
  return `(lpad(to_hex((extract(epoch from ${at}) * 1000)::bigint), 12, '0') || '7000800${of}' || lpad(to_hex(${n}), 12, '0'))::uuid`;
}
