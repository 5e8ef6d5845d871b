import { sql } from 'kysely';
import { type AccountTable, withdrawnAccountsSql } from '../../accounts/index.ts';
import { kyselyOf, run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { ImportProcessTable } from '../import-process.entity.ts';

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
  const found = await kyselyOf<ImportProcessTable>(database)
    .selectFrom('import_process')
    .select('external_account_number as external')
    .where('import_supplier', '=', importSupplier)
    .where('external_account_number', '=', sql<string>`any(${externalAccountNumbers}::text[])`)
    .$if(isCreated, (query) => query.where('imported_at', 'is not', null))
    .execute();
  return new Set(found.map(({ external }) => external));
}

/** Contents of a list: operations 9, 10 and 11. */
export type ListKind = 'all' | 'pending' | 'imported';

export interface Page {
  /** Items as compact JSON, equal to the output of JSON.stringify. */
  items: string[];
  /** Key of the last item; undefined on the last page. */
  lastKey: string | undefined;
}

/** Concatenation is the fastest way to build the JSON. */
const itemOf = (external: string) =>
  sql<string>`'{"external_account_number":' || to_json(${sql.ref(external)})::text
    || ',"service_account_number":' || coalesce('"' || a.number || '"', 'null')
    || ',"account_created_at":' || coalesce('"' || to_char(a.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') || '"', 'null') || '}'`.as(
    'item',
  );

/** Reads one page of a list, ordered by external account number: the rows after the last one of the previous page. */
export async function readPage(
  database: Queryable,
  list: ListKind,
  importSupplier: string,
  after: string,
  size: number,
): Promise<Page> {
  const tables = kyselyOf<AccountTable & ImportProcessTable>(database);
  const created = tables
    .selectFrom('account as a')
    .select([itemOf('a.external_account_number'), 'a.external_account_number as key'])
    .where('a.import_supplier', '=', importSupplier)
    .where('a.external_account_number', '>', after);
  const staged = tables
    .selectFrom('import_process as p')
    .leftJoin('account as a', 'a.import_process_id', 'p.id')
    .select([itemOf('p.external_account_number'), 'p.external_account_number as key'])
    .where('p.import_supplier', '=', importSupplier)
    .where('p.external_account_number', '>', after)
    .$if(list === 'pending', (query) => query.where('p.imported_at', 'is', null));
  const rows = await (list === 'imported' ? created : staged).orderBy('key').limit(size).execute();
  return { items: rows.map((row) => row.item), lastKey: rows.length === size ? rows.at(-1)?.key : undefined };
}

/** Returns the staged payload of an account as a JSON string; undefined if there is none or it was deleted. */
export async function findStagedPayload(
  on: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
): Promise<string | undefined> {
  const row = await kyselyOf<ImportProcessTable>(on)
    .selectFrom('import_process')
    .select(sql<string | null>`payload::text`.as('payload'))
    .where('import_supplier', '=', importSupplier)
    .where('external_account_number', '=', externalAccountNumber)
    .executeTakeFirst();
  return row?.payload ?? undefined;
}
