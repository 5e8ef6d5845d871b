/**
 * Identifiers that select a behavior in all three simulators: `99`, two digits for the kind, two for a number of calls, then anything;
 * `GI99kknn` for large gas sites. Any other identifier is a known point. docs/running/outside-parties.md shows this table.
 */
export const magicKinds = {
  '99': 'unknown point',
  '01': 'rejected permanently',
  '02': 'rejected permanently, with another code',
  '03': 'rejected permanently, with another code',
  '04': 'rejected permanently, with another code',
  '05': "rejected permanently, with another code; at SGE only without the customer's authorization",
  '06': 'rejected permanently, with another code; known at SGE',
  '07': 'rejected permanently, with another code; known at SGE',
  '10': 'busy (429), for the number of calls',
  '11': 'fails on this point, for the number of calls',
  '12': 'always fails on this point',
  '13': 'Data Connect: `STM-ERR-0000001`, taken for a wrong identifier after five tries',
  '20': 'always 503',
  '21': '502, for the number of calls',
  '22': 'never answered',
  '23': 'the connection breaks',
  '30': 'malformed, for the number of calls',
  '31': 'always malformed',
  '32': 'hostile XML (SGE)',
  '33': 'other objects between the lines (ADICT)',
  '34': 'an error in mid-stream (ADICT)',
  '40': 'our login or contract is refused',
  '41': 'our rights are suspended (ADICT)',
  '42': 'the token is refused once',
  '50': 'imminent danger (ADICT)',
} as const;
export type MagicKind = keyof typeof magicKinds;

export interface Magic {
  kind: MagicKind;
  /** Number of calls with this behavior; later calls for the identifier succeed. */
  calls: number;
}

/** Reads the behavior that an identifier selects; undefined for an ordinary point. */
function magicOf(identifier: string): Magic | undefined {
  const [, kind, calls] = /^(?:GI)?99(\d{2})(\d{2})/.exec(identifier) ?? [];
  return kind !== undefined && isKind(kind) ? { kind, calls: Number(calls) } : undefined;
}

function isKind(kind: string): kind is MagicKind {
  return Object.hasOwn(magicKinds, kind);
}

/** Kinds that end after the number of calls in the identifier. */
const FOR_SOME_CALLS: ReadonlySet<MagicKind> = new Set(['10', '11', '21', '30'] as const);

/** Counts calls of magic identifiers, so that "busy for two calls" can end. */
export function createMagic() {
  const calls = new Map<string, number>();
  return (identifier: string): MagicKind | undefined => {
    const magic = magicOf(identifier);
    if (magic === undefined) return undefined;
    const count = (calls.get(identifier) ?? 0) + 1;
    calls.set(identifier, count);
    return FOR_SOME_CALLS.has(magic.kind) && count > magic.calls ? undefined : magic.kind;
  };
}
