import type { DifferenceReason } from '../../vocabulary/reconciliation.ts';
import type { ValueForm } from './value-forms.rules.ts';

/*
 * How a payload is stored in tables: which column contains which member. It is written for reading back, and shares nothing with
 * the statements that create an account. What neither it nor `notCompared` names is found by a test over the catalogue.
 */

/** What an accepted value may rest on beside the item itself. */
export interface AcceptedContext {
  /** The normal forms of phone numbers, as they were found when the account was staged, by position of the customer. */
  phoneNumbers: readonly { mobile?: string; landline?: string }[];
  /** The root below which the documents were accepted. */
  documentRoot: string | null;
  /** When the account was created, in the form of instants. */
  createdAt: string;
  /** When the import process was marked as imported; the same transaction creates the account. */
  importedAt: string | undefined;
}

/** A column that holds a member of an item. */
export interface StoredField {
  /** The members that lead from the item to the value; empty where the item itself is the value. */
  member: string;
  column: string;
  form: ValueForm;
  /** The value of the column if the member was not sent. */
  absent?: string;
  /** The value as text, where it is not the column itself: `t` is the row, `a` its account. */
  sql?: string;
  /** For a column beside a member: the value that follows from the accepted one. */
  follows?: (item: Item, context: AcceptedContext, index: number) => unknown;
  /** The name of the sum of this member in the certificate. */
  sum?: string;
  /** A reason for which the column may differ, and the condition that proves it. */
  reason?: { code: DifferenceReason; sql: string };
}

/** The rows of a table, as the items of a list of the payload. */
export interface StoredList {
  /** The members that lead from the item above to the list. */
  member: string;
  table: string;
  /** The column that holds the position of the row above; left out below the account itself. */
  parent?: string;
  fields: readonly StoredField[];
  lists?: readonly StoredList[];
  /** Rows that were not accepted with the payload but have a reason: their condition and the reason. */
  laterRows?: { reason: DifferenceReason; sql: string };
  /**
   * Members whose hashes are stored in the column `accepted_hashes` of a later row. The order is fixed, because stored rows use it. New ones
   * go behind it.
   */
  hashed?: readonly string[];
}

export type Item = Readonly<Record<string, unknown>>;

/** An instant as `value-forms.rules.ts` writes it. */
export const instantSql = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A member whose column has the same name. */
export function field(member: string, form: ValueForm = 'text', more: Partial<StoredField> = {}): StoredField {
  return { member, column: member.slice(member.lastIndexOf('.') + 1), form, ...more };
}

/** Text members whose columns have the same names. */
export function fields(...members: string[]): StoredField[] {
  return members.map((member) => field(member));
}

/** A column beside a member: its value follows from the accepted one. */
export function beside(
  member: string,
  column: string,
  follows: NonNullable<StoredField['follows']>,
  more: Partial<StoredField> = {},
): StoredField {
  return { member, column, form: 'text', follows, ...more };
}

/** A column of whose value nothing is accepted with a payload. */
export function empty(column: string, more: Partial<StoredField> = {}): StoredField {
  return beside('', column, () => undefined, more);
}
