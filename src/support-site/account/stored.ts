import { readableLine } from '../frame/readable.ts';

/** What is stored of an account, a business ... as text: every number keeps its digits. */
export interface Stored {
  readonly [member: string]: StoredValue;
}
type StoredValue = string | boolean | null | Stored | readonly StoredValue[];

/** A text of JSON, or a number outside of one. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/g;
const QUOTE = 34;

/** Reads what a store wrote as JSON. Numbers are quoted beforehand: a reviver, which is called for every value, takes twice as long. */
export function readStored(json: string): Stored {
  const quoted = json.replace(TEXT_OR_NUMBER, (token) => (token.charCodeAt(0) === QUOTE ? token : `"${token}"`));
  return JSON.parse(quoted) as Stored;
}

/** A member as text; undefined where there is none. */
export function textOf(of: Stored | undefined, member: string): string | undefined {
  const value = of?.[member];
  if (value === null || value === undefined || value === '') return undefined;
  return typeof value === 'object' ? readableLine(value, Infinity) : String(value);
}

/** The rows of a list; none where there is no list. */
export function rowsOf(of: Stored | undefined, member: string): Stored[] {
  const value = of?.[member];
  return Array.isArray(value) ? (value as Stored[]) : [];
}

/** What stands below a member, if it is no text. */
export function below(of: Stored | undefined, member: string): Stored | undefined {
  const value = of?.[member];
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Stored) : undefined;
}
