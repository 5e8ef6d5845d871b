import { isDay } from './wire-forms.ts';

/**
 * Readers for rules, which also run after schema violations so that all violations are reported together; a member may then have any type.
 * Each reader returns the value if it has the expected type, otherwise the empty value of that type, which no rule rejects, because the
 * schema has reported it.
 */
export type Loose = Readonly<Record<string, unknown>>;

const NO_ITEMS: readonly unknown[] = Object.freeze([]);
const NO_MEMBERS: Loose = Object.freeze({});

/** The items of a list; empty if it is not a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NO_ITEMS;
}

/** The members of an object; empty if it is not an object. */
export function membersIn(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : NO_MEMBERS;
}

/** A string; `''` if it is absent or not a string. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A valid date, comparable as a string; `''` otherwise. */
export function dayOf(value: unknown): string {
  return typeof value === 'string' && isDay(value) ? value : '';
}

/** Returns whether a member counts as absent: not sent, or an empty string. The schema validates `null`. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === '';
}

/** Returns whether a value is a JSON object: not a list, null or `JSON.rawJSON` number. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
