import { withdrawnAccountsSql } from '../../accounts/index.ts';
import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';

type TransferStatus = 'UNKNOWN' | 'PENDING' | 'IN_PROGRESS' | 'REJECTED' | 'COMPLETED';

export interface TransferState {
  status: TransferStatus;
  /** Empty until the account is created. */
  service_account_number: string;
  /** Only if accounts were withdrawn. */
  withdrawn_accounts?: object[];
}

const TRANSFER_STATE: PreparedQuery = {
  name: 'transfer-state',
  text: `
    select coalesce(a.switch_status, 'UNKNOWN') as status, coalesce(a.number, '') as service_account_number,
      case when p.withdrawn_at is not null then (${withdrawnAccountsSql(`case when d.is_by_operator then 'operators' else d.requested_by end`)}) end as withdrawn_accounts
    from import_process p left join account a on a.import_process_id = p.id
    where p.import_supplier = $1 and p.external_account_number = $2`,
};

/** Returns the state of an account import (operation 8), or undefined if there is none. */
export async function findTransferState(
  database: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
): Promise<TransferState | undefined> {
  type Row = Omit<TransferState, 'withdrawn_accounts'> & { withdrawn_accounts: object[] | null };
  const [state] = await run<Row & Record<string, unknown>>(database, TRANSFER_STATE, [
    importSupplier,
    externalAccountNumber,
  ]);
  if (state === undefined) return undefined;
  const { withdrawn_accounts: withdrawn, ...rest } = state;
  return withdrawn === null ? rest : { ...rest, withdrawn_accounts: withdrawn };
}

/** Finds which of these accounts are staged, or created. @param isCreated whether only created ones count */
export async function findImportedAccounts(
  database: Queryable,
  importSupplier: string,
  externalAccountNumbers: readonly string[],
  isCreated: boolean,
): Promise<ReadonlySet<string>> {
  const found = await run<{ external: string }>(database, IMPORTED, [
    importSupplier,
    externalAccountNumbers,
    isCreated,
  ]);
  return new Set(found.map(({ external }) => external));
}

const IMPORTED: PreparedQuery = {
  name: 'imported-accounts',
  text: `
    select external_account_number as external from import_process
    where import_supplier = $1 and external_account_number = any($2::text[]) and (imported_at is not null or not $3)`,
};

/** Contents of a list: operations 9, 10 and 11. */
export type ListKind = 'all' | 'pending' | 'imported';

/** An item as compact JSON, equal to the output of JSON.stringify. Concatenation is the fastest way to build it. */
const itemOf = (external: string): string => `'{"external_account_number":' || to_json(${external})::text
  || ',"service_account_number":' || coalesce('"' || a.number || '"', 'null')
  || ',"account_created_at":' || coalesce('"' || to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '"', 'null') || '}'`;

/** Keyset pagination: each page starts after the last row of the previous one. `of` has the supplier and the number. */
const page = (name: string, of: 'a' | 'p', from: string, isListed: string): PreparedQuery => ({
  name,
  text: `
    select ${itemOf(`${of}.external_account_number`)} as item, ${of}.external_account_number as key from ${from}
    where ${isListed} and ${of}.import_supplier = $1 and ${of}.external_account_number > $2 order by ${of}.external_account_number limit $3`,
});
const JOINED = 'import_process p left join account a on a.import_process_id = p.id';
const PAGES: Record<ListKind, PreparedQuery> = {
  all: page('list-all', 'p', JOINED, 'true'),
  pending: page('list-pending', 'p', JOINED, 'p.imported_at is null'),
  imported: page('list-imported', 'a', 'account a', 'true'),
};

export interface Page {
  /** Items as JSON strings. */
  items: string[];
  /** Key of the last item; undefined on the last page. */
  lastKey: string | undefined;
}

/** Reads one page of a list, ordered by external account number. */
export async function readPage(
  database: Queryable,
  list: ListKind,
  importSupplier: string,
  after: string,
  size: number,
): Promise<Page> {
  const rows = await run<{ item: string; key: string }>(database, PAGES[list], [importSupplier, after, size]);
  return { items: rows.map((row) => row.item), lastKey: rows.length === size ? rows.at(-1)?.key : undefined };
}

/** Prepared, because results read it for each failed line of a job over staged accounts. */
const STAGED_PAYLOAD: PreparedQuery = {
  name: 'staged-payload',
  text: 'select payload::text as payload from import_process where import_supplier = $1 and external_account_number = $2',
};

/** Returns the staged payload of an account as a JSON string; undefined if there is none or it was deleted. */
export async function findStagedPayload(
  on: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
): Promise<string | undefined> {
  const [row] = await run<{ payload: string | null }>(on, STAGED_PAYLOAD, [importSupplier, externalAccountNumber]);
  return row?.payload ?? undefined;
}
