import type { SchemaNode } from '../../platform/validation/schema-node.ts';
import type { DifferenceReason } from '../../vocabulary/reconciliation.ts';
import type { ValueForm } from './value-forms.rules.ts';

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

/** Formats a timestamp like `value-forms.rules.ts`. */
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
