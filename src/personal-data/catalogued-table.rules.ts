/**
 * Every column of the database: whether what stands in it can tell of a customer, and what an erasure makes of it. A test takes every
 * column of a migrated database and fails on one that is not entered here. In the SQL `t` is the row, and `who` has
 * account_id, process_id, supplier, external and customer: the place of the person, null for all of the account.
 */
export interface CataloguedTable {
  /** Which rows belong to an account; left out where none do. Exports hold these rows whole. */
  of?: string;
  /** Which of them an erasure changes, where it is not all of them. */
  erasedWhere?: string;
  /** What an erasure writes, by column. */
  erased?: Readonly<Record<string, string>>;
  /** Which of them an export of one customer holds, where it is not all; and members in place of columns, as a JSON object. */
  exportedWhere?: string;
  exported?: string;
  /** Columns that are changed or deleted by code of their own, beside this table. */
  erasedElsewhere?: string;
  /** Columns that stay, with blanks between them. */
  kept: string;
  /** Why they stay. */
  because: string;
}
