import type { DifferenceKind, DifferenceReason } from '../../vocabulary/reconciliation.ts';
import type { AcceptedAccount, AcceptedItem, Form, Plan, PlannedField } from './accepted-items.rules.ts';
import { addLine, emptyLines, type HashedLines, unitOf } from './hashed-lines.rules.ts';
import { storedValue, readJson } from './form.rules.ts';

export interface Difference {
  /** Path in the payload. */
  path: string;
  kind: DifferenceKind;
  table: string;
  /** Null if a whole row is missing or extra. */
  column: string | null;
  /** The known cause of the stored value, if there is one. */
  reason: DifferenceReason | null;
}

/** The difference of an account that does not exist. */
export const ACCOUNT_MISSING: Difference = { path: '', kind: 'missing', table: 'account', column: null, reason: null };

/** A row as read by `read-stored.store.ts`. */
export interface StoredRow {
  /** Its position. */
  p: number;
  /** The position of the parent row. */
  q: number | null;
  /** Whether a known reason allows this row although the payload did not contain it. */
  later: boolean | null;
  /** Hashes of the accepted values, if the row was added later. */
  h: string | null;
  [field: `f${number}`]: string | null;
  /** Whether the condition of the field's reason for a difference is met. */
  [reason: `r${number}`]: boolean | null;
}

/** An account as it is stored; undefined if it does not exist. */
export type StoredHead = Readonly<Record<`f${number}`, string | null>>;

/** The values of an account, each with its path: the input of the hashes. */
interface LinesOfAccount {
  accepted: HashedLines;
  stored: HashedLines;
}

export interface ComparedAccount {
  differences: Difference[];
  lines: LinesOfAccount;
  /** Values that were compared. */
  values: number;
}

/** The hash of each value within the hashes of a row. */
const HASH_DIGITS = /.{8}/g;

/** Hashes a stored value, for accounts without a copy. @param list the path of its list; empty for the account */
export type Seal = (list: string, position: number, field: string, value: string) => string;

/**
 * Compares a stored account with the accepted payload.
 * @param head undefined if the account does not exist
 * @param rows by plan, in any order
 * @param seal set if `accepted` contains hashes: stored values are hashed before the comparison, and no lines are written
 */
export function compareAccount(
  form: Form,
  accepted: AcceptedAccount,
  head: StoredHead | undefined,
  rows: readonly (readonly StoredRow[])[],
  seal?: Seal,
): ComparedAccount {
  const compared = compareRows(form, accepted, rows, seal);
  if (head === undefined) compared.differences.push(ACCOUNT_MISSING);
  const root = { path: '', at: '', above: undefined, values: accepted.values };
  compareRow(
    compared,
    'account',
    form.account.fields,
    root,
    0,
    head,
    seal && ((field, value) => seal('', 0, field, value)),
  );
  return compared;
}

/** Compares the rows below an account. Matches rows by their position and parent row, then compares each column. */
export function compareRows(
  form: Form,
  accepted: AcceptedAccount,
  rows: readonly (readonly StoredRow[])[],
  seal?: Seal,
): ComparedAccount {
  const lines = { accepted: emptyLines(form, accepted), stored: emptyLines(form, accepted) };
  const compared: ComparedAccount = { differences: [], lines, values: 0 };
  const missing = new Map<string, Difference>();
  for (const [place, plan] of form.plans.entries()) {
    if (plan.isLeftOut) continue;
    compareTable(compared, form, plan, place, accepted.items, rows[place] ?? [], seal);
    if (plan.above !== undefined) findMissingParents(missing, form, place, accepted.items[plan.above]!, rows);
  }
  compared.differences.push(...missing.values());
  for (const path of accepted.unknown) {
    compared.differences.push({ path, kind: 'missing', table: 'account', column: null, reason: null });
  }
  return compared;
}

function compareTable(
  compared: ComparedAccount,
  form: Form,
  plan: Plan,
  place: number,
  items: AcceptedAccount['items'],
  rows: readonly StoredRow[],
  seal: Seal | undefined,
): void {
  const wanted = items[place]!;
  const { table } = plan.list;
  const found: (StoredRow | undefined)[] = wanted.map(() => undefined);
  for (const row of rows) {
    const item = wanted[row.p];
    if (item !== undefined && item.above === (row.q ?? undefined)) found[row.p] = row;
    else {
      const reason = isLater(form, plan, items, row, wanted.length) ? plan.list.laterRows!.reason : null;
      const path = pathOfExtra(form, plan, items, row);
      compared.differences.push({ path, kind: 'extra', table, column: null, reason });
      if (reason !== null && row.h !== null) compareByHashes(compared, form, plan, row, path);
    }
  }
  for (const [position, item] of wanted.entries()) {
    const row = found[position];
    if (row === undefined) {
      compared.differences.push({ path: item.path, kind: 'missing', table, column: null, reason: null });
    }
    const sealHere = seal && ((field: string, value: string) => seal(plan.path, position, field, value));
    compareRow(compared, table, plan.fields, item, unitOf(form, plan, item, position), row, sealHere);
  }
}

/** Compares a later row with its stored hashes. */
function compareByHashes(compared: ComparedAccount, { hashOf }: Form, plan: Plan, row: StoredRow, path: string): void {
  const { table, hashed = [] } = plan.list;
  const hashes = row.h!.match(HASH_DIGITS) ?? [];
  for (const [index, member] of hashed.entries()) {
    const field = plan.fields.find(({ column }) => column === member)!;
    const was = hashes[index];
    if (was === undefined) continue;
    compared.values += 1;
    const is = storedValue(field.form, row[`f${field.place}`] ?? null);
    if (hashOf(member, is) === was) continue;
    const kind = is === undefined ? 'missing' : was === hashOf(member, undefined) ? 'extra' : 'changed';
    compared.differences.push({ path: `${path}.${member}`, kind, table, column: member, reason: null });
  }
}

/** Reports missing parent rows to which stored rows refer, although the payload has no such item. Each is reported once, by its path. */
function findMissingParents(
  differences: Map<string, Difference>,
  form: Form,
  place: number,
  itemsAbove: readonly AcceptedItem[],
  rows: readonly (readonly StoredRow[])[],
): void {
  const { above } = form.plans[place]!;
  const { member, table } = form.plans[above!]!.list;
  const missing = (rows[place] ?? []).flatMap(({ q }) => (q === null || q in itemsAbove ? [] : [q]));
  for (const position of new Set(missing)) {
    if (rows[above!]?.some(({ p }) => p === position)) continue;
    const path = `${member}.${position}`;
    differences.set(path, { path, kind: 'missing', table, column: null, reason: null });
  }
}

/** Whether a row comes after the accepted ones and may have been added later. */
function isLater(form: Form, plan: Plan, items: AcceptedAccount['items'], row: StoredRow, accepted: number): boolean {
  if (row.later !== true || row.p < accepted) return false;
  const above = plan.above === undefined ? undefined : form.plans[plan.above]!;
  return above?.list.laterRows === undefined || (row.q ?? -1) >= items[plan.above!]!.length;
}

/** The path that the row would have in the payload: after the items of its parent row. */
function pathOfExtra(form: Form, plan: Plan, items: AcceptedAccount['items'], row: StoredRow): string {
  if (plan.above === undefined) return `${plan.list.member}.${row.p}`;
  const above = row.q === null ? undefined : items[plan.above]![row.q];
  if (above !== undefined) return `${above.path}.${plan.list.member}.${row.p}`;
  return `${form.plans[plan.above]!.list.member}.${row.q ?? '*'}.${plan.list.member}.${row.p}`;
}

/** Compares a row field by field. For a missing row, which is already reported, only the accepted lines are written. */
function compareRow(
  compared: ComparedAccount,
  table: string,
  fields: readonly PlannedField[],
  item: AcceptedItem,
  unit: number,
  row: StoredHead | StoredRow | undefined,
  seal: ((field: string, value: string) => string) | undefined,
): void {
  const { lines, differences } = compared;
  for (const [index, field] of fields.entries()) {
    const { column, form, hashed, ending, place, name } = field;
    const was = item.values[index];
    const stored = row === undefined ? undefined : storedValue(form, (row as StoredHead)[`f${place}`] ?? null);
    const is = stored === undefined || seal === undefined ? stored : seal(name, stored);
    if (hashed !== undefined && seal === undefined) {
      const isDerived = item.derived?.has(index) === true;
      if (!isDerived) addLine(lines.accepted, unit, field, item.at, was);
      if (!isDerived || was !== is) addLine(lines.stored, unit, field, item.at, is);
    }
    compared.values += 1;
    if (was === is || row === undefined) continue;
    const path = pathOf(item, ending);
    if (form === 'json' && seal === undefined && was !== undefined && is !== undefined) {
      for (const inner of jsonDifferences(was, is, path)) differences.push({ ...inner, table, column, reason: null });
      continue;
    }
    const kind = was === undefined ? 'extra' : is === undefined ? 'missing' : 'changed';
    const hasReason = field.reason !== undefined && (row as StoredRow)[`r${place}`] === true;
    differences.push({ path, kind, table, column, reason: hasReason ? field.reason!.code : null });
  }
}

/** The path of a value in its payload. */
function pathOf(item: AcceptedItem, ending: string): string {
  return item.path === '' ? ending.slice(1) : item.path + ending;
}

/** Lists the paths at which two JSON texts differ. */
function jsonDifferences(was: string, is: string, path: string): { path: string; kind: DifferenceKind }[] {
  const found: { path: string; kind: DifferenceKind }[] = [];
  compare(readJson(was), readJson(is), path, found);
  // Values that differ only in notation, such as 1.50 and 1.5, are reported too.
  return found.length > 0 ? found : [{ path, kind: 'changed' }];
}

function compare(was: unknown, is: unknown, path: string, found: { path: string; kind: DifferenceKind }[]): void {
  if (was === undefined) found.push({ path, kind: 'extra' });
  else if (is === undefined) found.push({ path, kind: 'missing' });
  else if (isParent(was) && isParent(is) && Array.isArray(was) === Array.isArray(is)) {
    for (const member of new Set([...Object.keys(was), ...Object.keys(is)])) {
      compare(own(was, member), own(is, member), `${path}.${member}`, found);
    }
  } else if (JSON.stringify(was) !== JSON.stringify(is)) found.push({ path, kind: 'changed' });
}

function isParent(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !JSON.isRawJSON(value);
}

function own(value: Record<string, unknown>, member: string): unknown {
  return Object.hasOwn(value, member) ? value[member] : undefined;
}
