/** A path with what it is narrowed down to, in this order; what is empty is left out. */
export function addressOf(path: string, narrowed: Readonly<Record<string, string | null | undefined>>): string {
  const given = Object.entries(narrowed).filter((one): one is [string, string] => Boolean(one[1]));
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given).toString()}`;
}
