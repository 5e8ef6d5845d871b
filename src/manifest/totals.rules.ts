import { Big } from 'big.js';
import { addDecimal, hashSum } from '../reconciliation/tally.rules.ts';
import type { ImportJobKind } from '../vocabulary/import-jobs.ts';
import type { Manifest, ManifestKinds } from './manifest.schema.ts';

/*
 * Totals are a tree: counts are numbers, sums are decimal strings, digests are a list. These functions visit the tree, so that a new total
 * is only described in its schema and counted in `running-totals.validation.ts`.
 */

type Totals = { readonly [member: string]: number | string | Totals | readonly NamedDigest[] | undefined };

interface NamedDigest {
  name: string;
  digest: string;
}

/** A total in which received records differ from a manifest. */
export interface TotalDifference {
  /** The total, such as `transactions.by_type.PAYMENT.sum`; of a digest `accounts.digests.` and the field. */
  path: string;
  expected: string;
  received: string;
  /** Received minus expected; null for digests. */
  difference: string | null;
}

const DIGEST_DIGITS = 64;

/** Adds the totals of two sets of records. */
export function mergeTotals(one: ManifestKinds, other: ManifestKinds): ManifestKinds {
  return merge(one, other);
}

function merge(one: Totals, other: Totals): Totals {
  const members = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...members].flatMap((member) => {
      const value = mergeValues(one[member], other[member]);
      return value === undefined ? [] : [[member, value]];
    }),
  );
}

function mergeValues(one: Totals[string], other: Totals[string]): Totals[string] {
  if (one === undefined || other === undefined) return one ?? other;
  if (typeof one === 'number') return one + (other as number);
  if (typeof one === 'string') return money(addDecimal(one, other as string));
  if (isDigests(one)) return mergeDigests(one, other as readonly NamedDigest[]);
  return merge(one, other as Totals);
}

/** The totals that, added to others, take records away from them. */
export function negateTotals(totals: ManifestKinds): ManifestKinds {
  return negate(totals);
}

function negate(totals: Totals): Record<string, Totals[string]> {
  return Object.fromEntries(
    Object.entries(totals).map(([member, value]) => [member, value === undefined ? value : negateValue(value)]),
  );
}

function negateValue(value: NonNullable<Totals[string]>): Totals[string] {
  if (typeof value === 'number') return -value;
  if (typeof value === 'string') return money(new Big(value).times(-1).toFixed());
  return isDigests(value) ? value.map(({ name, digest }) => ({ name, digest: negateDigest(digest) })) : negate(value);
}

const MODULUS = 2n ** 256n;

function negateDigest(digest: string): string {
  return ((MODULUS - BigInt(`0x${digest}`)) % MODULUS).toString(16).padStart(DIGEST_DIGITS, '0');
}

function isDigests(value: Totals[string]): value is readonly NamedDigest[] {
  return Array.isArray(value);
}

function mergeDigests(one: readonly NamedDigest[], other: readonly NamedDigest[]): NamedDigest[] {
  const sums = new Map(one.map(({ name, digest }) => [name, hashSum(digest)]));
  for (const { name, digest } of other) {
    const sum = sums.get(name);
    if (sum === undefined) sums.set(name, hashSum(digest));
    else sum.addSum(digest);
  }
  return namedDigests(sums);
}

/** Lists digests by name. */
export function namedDigests(sums: Iterable<readonly [string, { toString(): string }]>): NamedDigest[] {
  return Array.from(sums, ([name, sum]) => ({ name, digest: sum.toString() })).toSorted((one, other) =>
    one.name < other.name ? -1 : 1,
  );
}

/** Writes a sum with at least two decimal places. */
export function money(sum: string): string {
  const decimal = new Big(sum);
  return decimal.eq(decimal.round(2)) ? decimal.toFixed(2) : decimal.toFixed();
}

/**
 * Compares the totals that a manifest states with those of received records. Totals that it does not state are not compared.
 * @param kinds of the received records; by default all that the manifest states
 * @returns each total that differs
 */
export function compareTotals(
  { kinds: expected }: Pick<Manifest, 'kinds'>,
  received: ManifestKinds,
  kinds: readonly ImportJobKind[] = Object.keys(expected) as ImportJobKind[],
): TotalDifference[] {
  return kinds.flatMap((kind) => compare(expected[kind] as Totals | undefined, received[kind] as Totals, kind));
}

function compare(expected: Totals[string], received: Totals[string], path: string): TotalDifference[] {
  if (expected === undefined) return [];
  if (typeof expected === 'number') {
    const found = (received as number | undefined) ?? 0;
    const difference = String(found - expected);
    return found === expected ? [] : [{ path, expected: String(expected), received: String(found), difference }];
  }
  if (typeof expected === 'string') {
    const found = (received as string | undefined) ?? '0';
    const difference = new Big(found).minus(expected);
    if (difference.eq(0)) return [];
    const shown = { expected: money(expected), received: money(found), difference: money(difference.toFixed()) };
    return [{ path, ...shown }];
  }
  if (isDigests(expected)) return compareDigests(expected, (received ?? []) as readonly NamedDigest[], path);
  const found = (received ?? {}) as Totals;
  // Values of a set without records may be omitted on either side.
  const members = isBySet(path) ? new Set([...Object.keys(expected), ...Object.keys(found)]) : Object.keys(expected);
  return [...members].flatMap((member) =>
    compare(expected[member] ?? emptyLike(found[member], isBySet(path)), found[member], `${path}.${member}`),
  );
}

function isBySet(path: string): boolean {
  return path.endsWith('.supply_points') || path.endsWith('.by_type');
}

/** What a value of a set that the manifest omits stands for. */
function emptyLike(found: Totals[string], isOfSet: boolean): Totals[string] {
  if (!isOfSet) return undefined;
  return typeof found === 'number' ? 0 : { count: 0, sum: '0' };
}

const NO_DIGEST = hashSum().toString();

function compareDigests(
  expected: readonly NamedDigest[],
  received: readonly NamedDigest[],
  path: string,
): TotalDifference[] {
  const wanted = new Map(expected.map(({ name, digest }) => [name, digest.toLowerCase()]));
  const found = new Map(received.map(({ name, digest }) => [name, digest]));
  return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((name) => {
    const [one, other] = [wanted.get(name) ?? NO_DIGEST, found.get(name) ?? NO_DIGEST];
    if (one === other) return [];
    return [{ path: `${path}.${name}`, expected: one, received: other, difference: null }];
  });
}

const HUNDREDTHS = 100;
/** Amounts below it are exact as a number of hundredths, also if thousands of them are added. */
const AMOUNT_MAX = 1_000_000_000;
const USUAL = /^-?\d{1,9}(?:\.\d{1,2})?$/;

/** An exact sum of decimals. Amounts of usual size with two decimal places are added as integers, which is ten times faster. */
export class DecimalSum {
  #hundredths = 0;
  #others = '0';

  /** Adds a decimal in the form in which it is compared (`plainDecimal`). */
  add(decimal: string): void {
    if (!USUAL.test(decimal)) this.#others = addDecimal(this.#others, decimal);
    else this.#addHundredths(Number(decimal));
  }

  /** Adds a number as JSON contains it. @returns false if a double does not have its exact value */
  addNumber(amount: number): boolean {
    const isUsual = Math.abs(amount) < AMOUNT_MAX && Math.round(amount * HUNDREDTHS) / HUNDREDTHS === amount;
    if (isUsual) this.#addHundredths(amount);
    return isUsual;
  }

  #addHundredths(amount: number): void {
    this.#hundredths += Math.round(amount * HUNDREDTHS);
    if (Math.abs(this.#hundredths) > Number.MAX_SAFE_INTEGER / 2) this.#carry();
  }

  #carry(): void {
    const cents = BigInt(this.#hundredths);
    this.#others = addDecimal(this.#others, `${cents}e-2`);
    this.#hundredths = 0;
  }

  toString(): string {
    this.#carry();
    return this.#others;
  }
}
