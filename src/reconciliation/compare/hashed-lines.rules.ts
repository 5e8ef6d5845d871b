import { hash } from 'node:crypto';
import type { AcceptedAccount, AcceptedItem, Form, Plan, PlannedField } from './accepted-items.rules.ts';
import { canonicalJson } from './canonical-json.rules.ts';

/** Version of the hashed text: what is hashed together, its paths, and the notation of values (docs/suppliers/reconciliation.md). */
export const CANONICALIZATION = 1;

/** The first index in a path. */
const INDEX = /\.(\d+)/;

/** The hashed text of an account: what is hashed together is a unit, the whole payload or a single transaction. */
export interface HashedLines {
  /** The number that identifies each unit; empty for a whole payload. */
  readonly keys: readonly string[];
  /** A line for each value, by unit and field: its path, a tab, the value and a line feed. */
  readonly texts: (string | undefined)[];
  /** The number of fields of a unit. */
  readonly width: number;
}

/** The lines of an account of which no copy exists. */
export const NO_LINES: HashedLines = { keys: [], texts: [], width: 0 };

/** Creates the lines of an account, without values. */
export function emptyLines({ hashedPaths: { length: width }, keyField }: Form, accepted: AcceptedAccount): HashedLines {
  const keys = keyField === undefined ? [''] : accepted.items[0]!.map(({ values }) => values[keyField] ?? '');
  return { keys, texts: Array.from({ length: keys.length * width }, () => undefined), width };
}

/** The unit of an item. @param position among the items of its list */
export function unitOf({ keyField }: Form, plan: Plan, item: AcceptedItem, position: number): number {
  if (keyField === undefined) return 0;
  return plan.above === undefined ? position : item.above!;
}

/** Adds a value of an item. */
export function addLine(
  lines: HashedLines,
  unit: number,
  { hashed, ending, form }: PlannedField,
  item: AcceptedItem,
  value: string | undefined,
): void {
  if (hashed === undefined || value === undefined) return;
  const { texts, width, keys } = lines;
  const path = pathOf(item, ending);
  const place = unit * width + hashed;
  texts[place] =
    `${texts[place] ?? ''}${keys[unit] === '' ? path : withoutIndex(path)}\t${form === 'json' ? canonicalJson(value) : value}\n`;
}

/** The path in a unit of a list: without its index, which depends on the items before it. */
function withoutIndex(path: string): string {
  return path.replace(INDEX, '.*');
}

/** Finds the value at a path. For a path within a JSON value, returns the whole JSON value. */
export function valueAt(path: string, { keys, texts, width }: HashedLines): string | undefined {
  const isWhole = keys[0] === '';
  const unit = isWhole ? 0 : Number(INDEX.exec(path)?.[1] ?? keys.length);
  const sought = isWhole ? path : withoutIndex(path);
  const lines = texts.slice(unit * width, (unit + 1) * width).flatMap((text) => text?.split('\n') ?? []);
  for (const line of lines) {
    const tab = line.indexOf('\t');
    const at = line.slice(0, Math.max(0, tab));
    if (at !== '' && (sought === at || sought.startsWith(`${at}.`))) return line.slice(tab + 1);
  }
  return undefined;
}

/** The path of a value in its payload. */
export function pathOf(item: AcceptedItem, ending: string): string {
  return item.path === '' ? ending.slice(1) : item.path + ending;
}

/** Writes the lines of an accepted payload. */
export function acceptedLines(form: Form, accepted: AcceptedAccount): HashedLines {
  const lines = emptyLines(form, accepted);
  const addItem = (fields: readonly PlannedField[], item: AcceptedItem, unit: number) => {
    for (const [index, field] of fields.entries()) {
      if (item.derived?.has(index) !== true) addLine(lines, unit, field, item, item.values[index]);
    }
  };
  addItem(form.account.fields, { path: '', above: undefined, values: accepted.values }, 0);
  for (const [place, plan] of form.plans.entries()) {
    for (const [position, item] of accepted.items[place]!.entries()) {
      addItem(plan.fields, item, unitOf(form, plan, item, position));
    }
  }
  return lines;
}

/**
 * Hashes each field of each unit: the SHA-256 of the account's external number, a line feed, of a transaction its id and a line feed, and
 * the lines of the field.
 */
export function hashLines(
  { hashedPaths }: Form,
  external: string,
  { keys, texts, width }: HashedLines,
  add: (path: string, digest: Buffer) => void,
): void {
  for (const [unit, key] of keys.entries()) {
    const head = key === '' ? `${external}\n` : `${external}\n${key}\n`;
    for (let field = 0; field < width; field += 1) {
      const text = texts[unit * width + field];
      if (text !== undefined) add(hashedPaths[field]!, hash('sha256', head + text, 'buffer'));
    }
  }
}

/** The values of each field of money, by the name of their sum. */
export function moneyIn({ sums }: Form, { texts, width }: HashedLines): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [place, text] of texts.entries()) {
    const name = text === undefined ? undefined : sums.get(place % width);
    if (name === undefined) continue;
    const values = text!.slice(0, -1).split('\n');
    const all = found.get(name) ?? [];
    all.push(...values.map((line) => line.slice(line.indexOf('\t') + 1)));
    found.set(name, all);
  }
  return found;
}
