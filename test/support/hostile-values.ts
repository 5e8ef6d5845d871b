import fc from 'fast-check';

/** Marks a literal that JSON.stringify cannot write. */
const literals = [
  '1e400',
  '-1e-400',
  '1e99999',
  '12345678901234567890',
  '0.1234567890123456789',
  '-0',
  '1E+2',
  '1e308',
  '9007199254740993',
  '-2147483649',
  '4294967296',
  '1.0',
];
const LITERAL = (index: number) => `@@${index}@@`;
/** Writes a value as JSON, with literals that JSON.stringify cannot write. */
export const toText = (value: unknown) =>
  JSON.stringify(value)?.replace(/"@@(\d+)@@"/g, (_all, index: string) => literals[Number(index)] as string) ?? '';

/** Names of members that every plain object inherits. */
export const prototypeWords = [
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'isPrototypeOf',
  '__defineGetter__',
];

/** Strings that broke parsers before. */
export const text = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\u0000',
    '\ud800',
    '\udfff\ud800',
    '😀',
    '\u00a0',
    '\ufeff',
    '\u200b',
    '\u2028',
    '\\',
    '"',
    "'",
    '\n',
    '%00',
    '../',
    '//',
    '/',
    'null',
    'NaN',
    'Infinity',
    '1e5',
    '-',
    '0',
    '00',
    '0.0',
    '.5',
    '5.',
    '1,5',
    '+1',
    'true',
    '{}',
    ...prototypeWords,
    '1900-01-01',
    '2199-12-31',
    '2024-02-29',
    '2023-02-29',
    '0000-00-00',
    'infinity',
    '-infinity',
    'now',
    'epoch',
    'today',
    '2024-12-31T23:59:59Z',
    '2024-12-31T23:59:60Z',
    '2024-01-01T00:00:00+14:59',
    '1900-01-01T00:00:00-14:59',
    '2199-12-31T23:59:59.999999999-14:00',
    '2024-01-01T24:00:00Z',
    'DD',
    'CARD',
    'GAS',
    'ELECTRICITY',
    'PASSIVE',
    'ACTIVE_EXISTING',
    'BUSINESS',
    'PORTFOLIO_LEAD',
    'DOMESTIC_OCCUPIER',
    'ANNUALLY',
    'GI123456',
    '20000000000000',
    '999999999999999',
    '0.000000000000001',
    '-999999999999999',
    '+33612345678',
    '06 12 34 56 78',
    '+1 900 123 4567;ext=12',
    'tel:+33612345678',
    '+882161234567',
    'a@b.fr',
    '"a b"@example.org',
    'é@exämple.org',
    '732 829 320 00074',
    '73282932000074',
  ),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .tuple(
      fc.constantFrom('x', 'é', '字', '😀', ' ', '\t', '"', '\\'),
      fc.constantFrom(20, 32, 64, 128, 254, 255, 512, 513, 1_024, 1_025, 70_000),
    )
    .map(([unit, count]) => unit.repeat(count)),
  fc
    .tuple(fc.constantFrom(32, 64, 128, 255, 512, 1_024), fc.integer({ min: 0, max: 20_000 }))
    .map(([count, seed]) =>
      Array.from({ length: count }, (_, index) =>
        String.fromCodePoint(0x10000 + ((index * 7_919 + seed) % 50_000)),
      ).join(''),
    ),
);
const scalar = fc.oneof(
  text,
  text,
  fc.nat({ max: literals.length - 1 }).map(LITERAL),
  fc.constantFrom(null, true, false, 0, 1, -1, 0.1, 31, 32, 2_147_483_647, 2_147_483_648, 1e15, 999_999_999_999_999),
);
/** Any value in place of another one. */
export const anything = fc.oneof(
  { weight: 6, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) },
  { weight: 1, arbitrary: fc.dictionary(text, scalar, { maxKeys: 3 }) },
  { weight: 1, arbitrary: fc.constantFrom([], {}, [[]], [{}], [null]) },
);
/** A change of one place of a payload. */
export const mutation = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'double', 'swap', 'empty'),
  value: anything,
  other: fc.nat(),
});

/** Every place of a value: the container and the key. */
function placesIn(value: any): [any, string | number][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value).flatMap((key) => [
    [value, Array.isArray(value) ? Number(key) : key] as [any, string | number],
    ...placesIn(value[key]),
  ]);
}

/** Changes one place of a payload. */
export function mutate(
  account: any,
  { at, kind, value, other }: { at: number; kind: string; value: unknown; other: number },
): void {
  const places = placesIn(account);
  if (places.length === 0) return;
  const [container, key] = places[at % places.length] as [any, string | number];
  const [otherContainer, otherKey] = places[other % places.length] as [any, string | number];
  if (kind === 'replace') container[key] = value;
  else if (kind === 'remove' && Array.isArray(container)) container.splice(Number(key), 1);
  else if (kind === 'remove') delete container[key];
  else if (kind === 'double' && Array.isArray(container)) container.push(structuredClone(container[Number(key)]));
  else if (kind === 'double') container[`${key}2`] = container[key];
  else if (kind === 'swap') container[key] = structuredClone(otherContainer[otherKey]);
  else container[key] = Array.isArray(container[key]) ? [] : typeof container[key] === 'object' ? {} : '';
}
