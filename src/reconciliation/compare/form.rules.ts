import type { SchemaNode } from '../../platform/validation/schema-node.ts';
import type { DifferenceReason } from '../../vocabulary/reconciliation.ts';
import { instantOf, relativeDocumentPath } from '../../vocabulary/wire-forms.ts';

/*
 * Maps the members of a payload to columns of tables. This mapping is written for reading, independently of the statements that create an
 * account. A test over the database catalogue finds columns that neither it nor `notCompared` lists.
 */

/** Data besides the item from which an accepted value can follow. */
export interface AcceptedContext {
  /** Phone numbers as normalized when the account was staged, by position of the customer. */
  phoneNumbers: readonly { mobile?: string; landline?: string }[];
  /** The root of the document paths at acceptance. */
  documentRoot: string | null;
  /** When the account was created, formatted by `instantSql`. */
  createdAt: string;
  /** When the import process was marked as imported, in the transaction that creates the account. */
  importedAt: string | undefined;
}

/** A column that stores a member of an item. */
export interface StoredField {
  /** Path of the member in the item; empty if the item itself is the value. */
  member: string;
  column: string;
  form: ValueForm;
  /** The value of the column if the member was not sent. */
  absent?: string;
  /** SQL for the value, if it is not the column itself: `t` is the row, `a` its account. */
  sql?: string;
  /** For a column that stores no member: computes the expected value from accepted data. */
  follows?: (item: Item, context: AcceptedContext, index: number) => unknown;
  /** The name of the sum of this member in the certificate. */
  sum?: string;
  /** A reason for which the column may differ, and the condition that proves it. */
  reason?: { code: DifferenceReason; sql: string };
}

/** A table that stores the items of a list of the payload. */
export interface StoredList {
  /** Path of the list in the parent item. */
  member: string;
  table: string;
  /** The column with the position of the parent row; omitted directly below the account. */
  parent?: string;
  /** Of an account payload only those that its schema does not determine. */
  fields?: readonly StoredField[];
  lists?: readonly StoredList[];
  /** Rows that are allowed although they were not in the payload: the reason, and the condition. */
  laterRows?: { reason: DifferenceReason; sql: string };
  /** Members whose hashes the column `accepted_hashes` of a later row stores. Stored rows depend on this order: only append. */
  hashed?: readonly string[];
}

export type Item = Readonly<Record<string, unknown>>;

/** Formats a timestamp like the forms of values below. */
export const instantSql = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A member whose column has the same name. */
export function field(member: string, form: ValueForm = 'text', more: Partial<StoredField> = {}): StoredField {
  return { member, column: member.slice(member.lastIndexOf('.') + 1), form, ...more };
}

/** Text members whose columns have the same names. */
export function fields(...members: string[]): StoredField[] {
  return members.map((member) => field(member));
}

/** A column that stores no member: its value follows from accepted data. */
export function beside(
  member: string,
  column: string,
  follows: NonNullable<StoredField['follows']>,
  more: Partial<StoredField> = {},
): StoredField {
  return { member, column, form: 'text', follows, ...more };
}

/** A column that the accepted payload leaves empty. */
export function empty(column: string, more: Partial<StoredField> = {}): StoredField {
  return beside('', column, () => undefined, more);
}

/**
 * Adds the members of a schema that the fields do not describe: each is stored in a column of its name.
 * @param lists with the tables of all lists in the schema
 */
export function completeFields(
  node: SchemaNode,
  described: readonly StoredField[],
  lists: readonly StoredList[],
  above = '',
): StoredField[] {
  const fromSchema = Object.entries(node.properties ?? {}).flatMap(([name, inner]): StoredField[] => {
    const member = above + name;
    const isDescribed = described.some((one) => one.member === member && (!one.follows || one.column === name));
    if (isDescribed || lists.some((list) => list.member === member)) return [];
    if (inner.items !== undefined) throw new Error(`No table is known for the list ${member}.`);
    return inner.properties === undefined
      ? [field(member, formOf(inner))]
      : completeFields(inner, described, lists, `${member}.`);
  });
  return above === '' ? [...fromSchema, ...described] : fromSchema;
}

function formOf({ type, format, money, opaque }: SchemaNode): ValueForm {
  if (opaque) return 'json';
  if (money !== undefined || type === 'integer') return 'decimal';
  if (format === 'date-time') return 'instant';
  if (format === 'document-path') return 'path';
  return type === 'boolean' ? 'boolean' : 'text';
}

/** Completes the fields of lists, and of the lists in them, from the schema of their parent. */
export function completeLists(node: SchemaNode, lists: readonly StoredList[]): StoredList[] {
  return lists.map((list) => {
    const items = list.member.split('.').reduce((at, name) => at.properties![name]!, node).items!;
    const { fields: described = [], lists: inner = [] } = list;
    // If the item itself is the value, its members have no columns.
    const isWhole = described[0]?.member === '' && described[0].follows === undefined;
    const all = isWhole ? described : completeFields(items, described, inner);
    return { ...list, fields: all, lists: completeLists(items, inner) };
  });
}

/** How values are formatted for a comparison. `read-stored.store.ts` formats stored values in the same way. */
type ValueForm = 'text' | 'path' | 'siret' | 'instant' | 'decimal' | 'decimals' | 'boolean' | 'json';

/** Doubles can change numbers with this many digits or more. */
const LONG_NUMBER = /[0-9.]{16,}/;

/**
 * Parses a jsonb value; a number that a double could change keeps its text.
 * @param text without exponents, as Postgres writes numbers in a jsonb
 */
export function readJson(text: string): unknown {
  if (!LONG_NUMBER.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, { source }: { source?: string } = {}) =>
    typeof value === 'number' && source !== undefined && LONG_NUMBER.test(source) ? JSON.rawJSON(source) : value,
  );
}

/**
 * Formats an accepted value like the stored one.
 * @returns undefined if the value counts as absent
 */
export function acceptedValue(form: ValueForm, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (form === 'json') return JSON.stringify(value);
  const text = textOf(value);
  switch (form) {
    case 'text':
    case 'boolean':
      return text;
    case 'path':
      return relativeDocumentPath(text) || undefined;
    case 'siret':
      return text.replace(/[^0-9]/g, '') || undefined;
    case 'instant':
      return instant(text);
    case 'decimal':
      return plainDecimal(text);
    case 'decimals':
      return decimals((value as readonly unknown[]).map(textOf));
  }
}

/** Formats the text of a stored value, so that equal values have equal texts. */
export function storedValue(form: ValueForm, text: string | null): string | undefined {
  if (text === null) return undefined;
  if (form === 'json') return JSON.stringify(readJson(text));
  if (form === 'decimals') return decimals(text.slice(1, -1).split(','));
  return form === 'decimal' ? plainDecimal(text) : text;
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return JSON.isRawJSON(value) ? value.rawJSON : JSON.stringify(value);
}

/** Most decimals: without superfluous zeros before the digits. */
const USUAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const PLAIN = /^(-?)0*(\d+?)(?:\.(\d*?)0*)?$/;
const SMALL = /^(-?)(\d)(?:\.(\d+))?e-(\d+)$/;

/** An empty list counts as absent. */
function decimals(texts: readonly string[]): string | undefined {
  return texts.map(plainDecimal).join(',') || undefined;
}

/** Removes insignificant zeros and exponents: 61.250 becomes 61.25, and 1e-7, as a double is written, becomes 0.0000001. */
export function plainDecimal(text: string): string {
  if (USUAL.test(text)) return withoutLastZeros(text);
  const small = SMALL.exec(text);
  if (small !== null) {
    const [, sign = '', digit = '', rest = '', exponent = ''] = small;
    return `${sign}0.${'0'.repeat(Number(exponent) - 1)}${digit}${rest}`;
  }
  const plain = PLAIN.exec(text);
  if (plain === null) return text;
  const [, sign = '', whole = '', places = ''] = plain;
  if (places !== '') return `${sign}${whole}.${places}`;
  return whole === '0' ? '0' : sign + whole;
}

const ZERO = 0x30;
const POINT = 0x2e;

/** Removes the insignificant zeros of a usual decimal. Reads characters, because a regular expression with groups is several times slower. */
function withoutLastZeros(text: string): string {
  if (!text.includes('.')) return text === '-0' ? '0' : text;
  let end = text.length;
  while (text.charCodeAt(end - 1) === ZERO) end -= 1;
  if (text.charCodeAt(end - 1) === POINT) end -= 1;
  const plain = text.slice(0, end);
  return plain === '-0' ? '0' : plain;
}

/** Shorter timestamps have at most six decimals. */
const LONG_INSTANT = 28;
const LONG_FRACTION = /^(.{19})\.(\d{7,})(.+)$/;

/** Formats a timestamp in UTC with microseconds, as the database stores it. Rounds half to even. */
function instant(text: string): string {
  const long = text.length < LONG_INSTANT ? null : LONG_FRACTION.exec(text);
  if (long === null) return instantOf(text) || text;
  const [, upToSeconds = '', fraction = '', zone = ''] = long;
  const exact = Number(`0.${fraction}`) * 1_000_000;
  const near = Math.round(exact);
  const micros = exact % 1 === 0.5 && near % 2 === 1 ? near - 1 : near;
  const second = new Date(Date.parse(upToSeconds + zone) + (micros === 1_000_000 ? 1_000 : 0));
  return `${second.toISOString().slice(0, 19)}.${String(micros % 1_000_000).padStart(6, '0')}Z`;
}
