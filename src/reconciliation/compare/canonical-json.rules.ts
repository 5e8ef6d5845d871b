import { Big } from 'big.js';
import { type Item, plainDecimal } from './form.rules.ts';

/** Doubles can change numbers with this many digits, and numbers with an exponent. */
const INEXACT_NUMBER = /[0-9.]{16}|[0-9][eE]/;
const EXPONENT = /[eE]([+-]?\d+)$/;
/** No database stores larger exponents. */
const EXPONENT_MAX = 1_000;

/**
 * Writes a JSON text in the notation that is hashed: members in the order of their names by code point, no white space, no escapes that JSON
 * does not require, and numbers without exponents and insignificant zeros. Any text of the same value has the same notation.
 */
export function canonicalJson(text: string): string {
  if (!INEXACT_NUMBER.test(text)) return canonicalJsonOf(JSON.parse(text));
  const exact = JSON.parse(text, (_key, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined && INEXACT_NUMBER.test(source) ? JSON.rawJSON(source) : value,
  ) as unknown;
  return canonicalJsonOf(exact);
}

/** The same for a parsed value in which numbers that a double can change are `JSON.rawJSON`. */
export function canonicalJsonOf(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return plainDecimal(String(value));
  if (typeof value !== 'object' || value === null) return String(value);
  if (JSON.isRawJSON(value)) return withoutExponent(value.rawJSON);
  if (Array.isArray(value)) return `[${value.map(canonicalJsonOf).join(',')}]`;
  const names = Object.keys(value).toSorted(byCodePoint);
  return `{${names.map((name) => `${quoted(name)}:${canonicalJsonOf((value as Item)[name])}`).join(',')}}`;
}

/** Strings that need no escapes. */
const UNESCAPED = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

/** Writes a string; most need no escapes, which are slow to look for otherwise. */
function quoted(text: string): string {
  return UNESCAPED.test(text) ? `"${text}"` : JSON.stringify(text);
}

function withoutExponent(number: string): string {
  const exponent = Number(EXPONENT.exec(number)?.[1] ?? 0);
  if (Math.abs(exponent) > EXPONENT_MAX) return number;
  return plainDecimal(exponent === 0 ? number.replace(EXPONENT, '') : new Big(number).toFixed());
}

/** From these code units on, the order of UTF-16 differs from that of code points. */
const HIGH_UNITS = /[\ud800-\uffff]/;

/** Strings compare by UTF-16 code units, which orders the characters above U+FFFF differently. */
function byCodePoint(one: string, other: string): number {
  if (!HIGH_UNITS.test(one) && !HIGH_UNITS.test(other)) return one < other ? -1 : 1;
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}
