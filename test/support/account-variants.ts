import { businessAccount, domesticAccount } from './account-payload.ts';

/** Strings that are easily lost or changed in transit. */
const TEXTS = ['', '0', 'null', 'Ünï 😀 \u00a0x', 'O\'Hara \\ "x"', 'a\tb\nc', '{"a":1}', '%s $1 $$', 'é', 'e\u0301'];
const VALUES = [
  {},
  { a: null, b: [], c: {}, d: [null, [[]]] },
  { '10': 1, '9': [2.5, -0.001, 1e-7], z: { z: '' } },
  { n: 999_999_999_999_999, t: true, u: 'Ünï 😀', path: ['a', { b: ['c'] }] },
];
const INSTANTS = ['2024-02-29T23:59:59.999999499Z', '2024-01-01T00:00:00.5+05:30', ''];
const FREE = /address[1-4]$|_name$|^body$|_note$|^source$|^status$|_ref$|_postcode$|subchannel$/;

/**
 * An account like those of `account-payload.ts`, varied by the seed: members omitted, lists shortened or emptied, odd
 * values. Some variants are invalid.
 */
export function accountVariant(seed: number, sequence: number, importSupplier: string): Record<string, unknown> {
  const random = randomOf(seed);
  // Some variants change only a few places, so that enough of them stay valid.
  const strength = [0.05, 0.2, 0.5, 1][Math.floor(random() * 4)]!;
  const chance = (share: number) => random() < share * strength;
  const oneOf = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!;
  const full = (random() < 0.5 ? businessAccount : domesticAccount)(
    { import_supplier: importSupplier },
    sequence,
  ) as any;
  if (full.business !== undefined) delete full.business.business_contract_identifier;
  const vary = (value: unknown, name: string): unknown => {
    if (name === 'value' && typeof value === 'object') return oneOf(VALUES);
    if (Array.isArray(value)) {
      const items = chance(0.05) ? [] : chance(0.1) ? value.slice(0, 1) : chance(0.1) ? value.toReversed() : value;
      return items.map((item) => vary(item, name));
    }
    if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value).filter(() => !chance(0.03));
      return Object.fromEntries(members.map(([member, inner]) => [member, vary(inner, member)]));
    }
    if (typeof value === 'boolean') return name === 'unknown_occupier' ? value : random() < 0.5;
    if (name.endsWith('ed_at') && chance(0.4)) return oneOf(INSTANTS);
    if (typeof value === 'string' && FREE.test(name) && chance(0.3)) return oneOf(TEXTS);
    if (name === 'amount' && chance(0.5)) return oneOf([1, 12, 250, 99_999]);
    return value;
  };
  const { external_account_number: number, ...rest } = full;
  return { ...(vary(rest, '') as object), external_account_number: number, import_supplier: importSupplier };
}

/** Generates numbers from 0 to 1 from a seed (mulberry32). */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
