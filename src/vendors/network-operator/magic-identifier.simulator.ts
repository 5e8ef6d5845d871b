/**
 * Identifiers that choose an outcome in all three simulators: `99`, two digits for the kind, two for a number of calls,
 * then anything; `GI99kknn` at large gas sites. Every other identifier is known and answered. The README has the table.
 */
export interface Magic {
  kind: string;
  /** How many calls of this identifier it holds for; afterwards the point is answered. */
  calls: number;
}

/** Reads what an identifier asks for; undefined where it is an ordinary point. */
export function magicOf(identifier: string): Magic | undefined {
  const [, kind, calls] = /^(?:GI)?99(\d{2})(\d{2})/.exec(identifier) ?? [];
  return kind === undefined ? undefined : { kind, calls: Number(calls) };
}

/** Kinds that hold for the number of calls in the identifier, and no longer. */
const FOR_SOME_CALLS = new Set(['10', '11', '21', '30']);

/** Counts calls of magic identifiers, so that "busy for two calls" can end. */
export function createMagic() {
  const calls = new Map<string, number>();
  return (identifier: string): string | undefined => {
    const magic = magicOf(identifier);
    if (magic === undefined) return undefined;
    const count = (calls.get(identifier) ?? 0) + 1;
    calls.set(identifier, count);
    return FOR_SOME_CALLS.has(magic.kind) && count > magic.calls ? undefined : magic.kind;
  };
}
