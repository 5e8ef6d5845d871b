import { run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import { accountForm, transactionForm } from './accepted-forms.schema.ts';
import type { Form, Plan, PlannedField } from './accepted-items.rules.ts';
import type { StoredHead, StoredRow } from './compare-account.rules.ts';
import { type AcceptedContext, instantSql, type StoredField } from './form.rules.ts';

function valueSql({ sql, column, form }: StoredField, row: string): string {
  if (sql !== undefined) return sql;
  return form === 'instant' ? instantSql(`${row}.${column}`) : `${row}.${column}::text`;
}

function columnsSql(fields: readonly PlannedField[], row: string): string {
  return fields
    .flatMap((field, index) => [
      `${valueSql(field, row)} as f${index}`,
      ...(field.reason === undefined ? [] : [`${field.reason.sql} as r${index}`]),
    ])
    .join(',\n      ');
}

/** Columns that are read with a payload. */
export interface AcceptedBeside {
  phoneNumbers: string | null;
  documentRoot: string | null;
  importedAt: string | null;
  createdAt: string | null;
}

/** An account as accepted and, if it exists, as stored. */
export interface StoredAccount extends AcceptedBeside {
  external: string;
  accountId: string | null;
  processId: string;
  /** Null if retention has deleted it. */
  payload: string | null;
  /** The hashes that remain after the payload was deleted. */
  fieldHashes: Buffer | null;
  layoutId: number | null;
  head: StoredHead | undefined;
}

/** Collects the data besides the payload from which accepted values follow. */
export function acceptedContext({
  phoneNumbers,
  documentRoot,
  createdAt,
  importedAt,
}: AcceptedBeside): AcceptedContext {
  return {
    phoneNumbers: JSON.parse(phoneNumbers ?? '[]') as AcceptedContext['phoneNumbers'],
    documentRoot,
    createdAt: createdAt ?? importedAt ?? '',
    importedAt: importedAt ?? undefined,
  };
}

const HEADS: PreparedQuery = {
  name: 'reconcile-heads',
  text: `
    select p.external_account_number as external, a.id as "accountId", p.id as "processId", p.payload::text as payload, p.phone_numbers::text as "phoneNumbers",
      p.field_hashes as "fieldHashes", p.field_hash_layout_id as "layoutId", p.document_root as "documentRoot", ${instantSql('p.imported_at')} as "importedAt", ${instantSql('a.created_at')} as "createdAt",
      ${columnsSql(accountForm.account.fields, 'a')}
    from unnest($2::text[]) with ordinality as e (external, n)
      join import_process p on p.import_supplier = $1 and p.external_account_number = e.external
      left join account a on a.import_process_id = p.id
    where p.imported_at is not null or a.id is not null
    order by e.n`,
};

function rowsQuery({ list, fields }: Plan): PreparedQuery {
  const { table, parent, laterRows, hashed } = list;
  return {
    name: `reconcile-${table}`,
    text: `
    select t.account_id as "accountId", t.position as p, ${parent === undefined ? 'null::integer' : `t.${parent}`} as q,
      ${laterRows === undefined ? 'null::boolean' : laterRows.sql} as later,
      ${hashed === undefined ? 'null::text' : `encode(t.accepted_hashes, 'hex')`} as h,
      ${columnsSql(fields, 't')}
    from account a join ${table} t on t.account_id = a.id
    where a.id = any($1::uuid[])`,
  };
}

const ROWS = new Map<Form, PreparedQuery[]>(
  [accountForm, transactionForm].map((form) => [form, form.plans.map(rowsQuery)]),
);

/** Each transaction is stored with its sent text. */
const SENT: PreparedQuery = {
  name: 'reconcile-sent-transactions',
  text: `
    select t.account_id as "accountId", t.sent::text as sent from account a join transaction t on t.account_id = a.id
    where a.id = any($1::uuid[]) order by t.account_id, t.position`,
};

/** Reads created accounts of an import supplier by their external numbers, with the accepted payloads. */
export async function findStoredAccounts(
  on: Queryable,
  importSupplier: string,
  externals: readonly string[],
): Promise<StoredAccount[]> {
  const rows = await run<StoredAccount & Record<string, never>>(on, HEADS, [importSupplier, externals]);
  return rows.map((row) => ({ ...row, head: row.accountId === null ? undefined : (row as StoredHead) }));
}

/** Reads the rows below accounts. @returns by account, then in the order of the plans */
export async function findStoredRows(
  on: Queryable,
  form: Form,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, StoredRow[][]>> {
  if (accountIds.length === 0) return new Map();
  const found = new Map(accountIds.map((id) => [id, form.plans.map((): StoredRow[] => [])]));
  for (const [place, query] of ROWS.get(form)!.entries()) {
    for (const row of await run<StoredRow & { accountId: string }>(on, query, [accountIds])) {
      found.get(row.accountId)![place]!.push(row);
    }
  }
  return found;
}

/** A transaction as JSON text, as it was sent. */
export interface SentTransaction {
  accountId: string;
  sent: string;
}

/** Reads the sent transactions of accounts, by account. */
export async function findSentTransactions(
  on: Queryable,
  accountIds: readonly string[],
): Promise<ReadonlyMap<string, SentTransaction[]>> {
  const rows = await run<SentTransaction & Record<string, unknown>>(on, SENT, [accountIds]);
  return Map.groupBy(rows, ({ accountId }) => accountId);
}
