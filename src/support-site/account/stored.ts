import { readableLine } from '../frame/readable.ts';

/** Stored data of an account or business with numbers as text, so that they keep their digits. */
export interface Stored {
  readonly [member: string]: StoredValue;
}
type StoredValue = string | boolean | null | Stored | readonly StoredValue[];

/** A JSON string, or a number outside of strings. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const QUOTE = 34;

/** Parses JSON and keeps numbers as text. Quoting them first takes half the time of a reviver. */
export function readStored(json: string): Stored {
  const quoted = json.replace(TEXT_OR_NUMBER, (token) => (token.charCodeAt(0) === QUOTE ? token : `"${token}"`));
  return JSON.parse(quoted) as Stored;
}

/** A member as text; undefined if it is absent or empty. */
export function textOf(of: Stored | undefined, member: string): string | undefined {
  const value = of?.[member];
  if (value === null || value === undefined || value === '') return undefined;
  return typeof value === 'object' ? readableLine(value, Infinity) : String(value);
}

/** The rows of a list; empty if the member is not a list. */
export function rowsOf(of: Stored | undefined, member: string): Stored[] {
  const value = of?.[member];
  return Array.isArray(value) ? (value as Stored[]) : [];
}

/** An object member; undefined for other values. */
export function below(of: Stored | undefined, member: string): Stored | undefined {
  const value = of?.[member];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Stored) : undefined;
}
