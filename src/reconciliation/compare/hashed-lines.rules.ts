import type { AcceptedAccount, AcceptedItem, Form, Plan, PlannedField } from './accepted-items.rules.ts';
import { canonicalJson } from './canonical-json.rules.ts';

/** Version of the hashed text: what is hashed together, positions, and the notation of values (docs/suppliers/proof.md). */
export const CANONICALIZATION = 1;

/** The hashed text of an account: what is hashed together is a unit, the whole payload or a single transaction. */
export interface HashedLines {
  /** The number that identifies each unit; empty for a whole payload. */
  readonly keys: readonly string[];
  /** A line for each value, by unit and field: the position of its item, a tab, the value and a line feed. */
  readonly texts: (string | undefined)[];
  /** The number of fields of a unit. */
  readonly width: number;
}

/** The lines of an account of which no copy exists. */
export const NO_LINES: HashedLines = { keys: [], texts: [], width: 0 };

/** Creates the lines of an account, without values. */
export function emptyLines({ hashedPaths: { length: width }, keyField }: Form, accepted: AcceptedAccount): HashedLines {
  const keys = keyField === undefined ? [''] : accepted.items[0]!.map(({ values }) => values[keyField] ?? '');
  return { keys, texts: Array.from<undefined>({ length: keys.length * width }), width };
}

/** The unit of an item. @param position among the items of its list */
export function unitOf({ keyField }: Form, plan: Plan, item: AcceptedItem, position: number): number {
  if (keyField === undefined) return 0;
  return plan.above === undefined ? position : item.above!;
}

/** Adds a value of an item. @param at the position of the item */
export function addLine(
  { texts, width }: HashedLines,
  unit: number,
  { hashed, form }: PlannedField,
  at: string,
  value: string | undefined,
): void {
  if (hashed === undefined || value === undefined) return;
  const line = `${at}\t${form === 'json' ? canonicalJson(value) : value}\n`;
  const place = unit * width + hashed;
  const before = texts[place];
  texts[place] = before === undefined ? line : before + line;
}

/** Finds the value at a path. For a path within a JSON value, returns the whole JSON value. */
export function valueAt(path: string, { hashedPaths, keyField }: Form, lines: HashedLines): string | undefined {
  for (const [field, hashed] of hashedPaths.entries()) {
    const indexes = new RegExp(`^${hashed.replaceAll('.', '\\.').replaceAll('*', '(\\d+)')}(?:\\.|$)`)
      .exec(path)
      ?.slice(1);
    if (indexes === undefined) continue;
    const unit = keyField === undefined ? 0 : Number(indexes.shift());
    const head = `${indexes.join('.')}\t`;
    const values = lines.texts[unit * lines.width + field]?.split('\n') ?? [];
    const value = values.find((line) => line.startsWith(head));
    if (value !== undefined) return value.slice(head.length);
  }
  return undefined;
}

/** The text before the lines. @param key of what is hashed alone; empty for a whole payload */
export function headOf(external: string, key: string): string {
  return key === '' ? `${external}\n` : `${external}\n${key}\n`;
}

/**
 * Writes the text of each field of each unit that is hashed: the account's external number, a line feed, of a transaction its id and a line
 * feed, and the lines of the field.
 */
export function textsToHash(
  { hashedPaths }: Form,
  external: string,
  { keys, texts, width }: HashedLines,
  add: (path: string, text: string) => void,
): void {
  for (const [unit, key] of keys.entries()) {
    const head = headOf(external, key);
    for (let field = 0; field < width; field += 1) {
      const lines = texts[unit * width + field];
      if (lines !== undefined) add(hashedPaths[field]!, head + lines);
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
