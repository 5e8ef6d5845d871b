import { isDay } from './wire-forms.ts';

/**
 * How rules read a payload. They also run when the schema has already found violations, so that a client gets all of them
 * together; then a member may hold anything. Each reader returns the value if it has the expected type, and otherwise the
 * empty value of that type, which no rule rejects: the schema has already reported the violation there.
 */
export type Loose = Readonly<Record<string, unknown>>;

const NO_ITEMS: readonly unknown[] = Object.freeze([]);
const NO_MEMBERS: Loose = Object.freeze({});

/** The items of a list; none if it is not a list. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NO_ITEMS;
}

/** The members of an object; none if it is not an object. */
export function membersIn(value: unknown): Loose {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : NO_MEMBERS;
}

/** A text; `''` if it is not a text, just as an absent one. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A real calendar day, comparable as a string; `''` otherwise. */
export function dayOf(value: unknown): string {
  return typeof value === 'string' && isDay(value) ? value : '';
}

/** Returns whether a member counts as absent: not sent, or an empty string. The schema validates `null`. */
export function isAbsent(value: unknown): boolean {
  return value === undefined || value === '';
}

/** Returns whether a value is a JSON object, and not a list, null or a number whose text was kept. */
export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
}
