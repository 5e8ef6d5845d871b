import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { WITHDRAWAL_RETRY_SECONDS } from '../vocabulary/withdrawals.ts';

/** An account that data is attached to; its row is locked. */
interface ImportedAccount {
  id: string;
  serviceAccountNumber: string;
  /** `YYYY-MM-DD`; null if the supplier has not billed yet. */
  lastBilledToDate: string | null;
}

/** Allows concurrent inserts that reference the account; another request for the same account waits. */
const LOCK_ACCOUNTS: PreparedQuery = {
  name: 'lock-imported-accounts',
  text: `
    select id, number as "serviceAccountNumber", external_account_number as "externalAccountNumber", to_char(last_billed_to_date, 'YYYY-MM-DD') as "lastBilledToDate"
    from account where import_supplier = $1 and external_account_number = any($2::text[]) order by id for no key update`,
};

/**
 * Finds and locks an imported account, so that identical concurrent requests cannot attach data twice. Later statements of the transaction
 * see all commits of previous lock holders.
 * @returns undefined if the account does not exist or is only staged
 */
export async function lockImportedAccount(
  em: EntityManager,
  importSupplier: string,
  externalAccountNumber: string,
): Promise<ImportedAccount | undefined> {
  const accounts = await lockImportedAccounts(em, importSupplier, [externalAccountNumber]);
  return accounts.get(externalAccountNumber);
}

/**
 * The same for several accounts, which are locked in the order of their ids.
 * @returns the accounts by external number
 */
export async function lockImportedAccounts(
  em: EntityManager,
  importSupplier: string,
  externalAccountNumbers: readonly string[],
): Promise<Map<string, ImportedAccount>> {
  type Row = ImportedAccount & { externalAccountNumber: string };
  const rows = await run<Row>(em, LOCK_ACCOUNTS, [importSupplier, [...new Set(externalAccountNumbers)]]);
  return new Map(rows.map((row) => [row.externalAccountNumber, row]));
}

const BEING_WITHDRAWN: PreparedQuery = {
  name: 'accounts-being-withdrawn',
  text: `
    select e.n::integer - 1 as index from unnest($1::text[], $2::text[]) with ordinality as e (supplier, external, n)
    where (
      select true from withdrawn_account w
        cross join lateral (select status from withdrawal where withdrawal.id = w.withdrawal_id offset 0) d
      where w.import_supplier = e.supplier and w.external_account_number = e.external and d.status = 'RUNNING' limit 1)`,
};

interface AccountName {
  importSupplier: string;
  externalAccountNumber: string;
}

/** Finds the accounts that a running withdrawal has deleted. @returns their indexes */
export async function findBeingWithdrawn(
  on: Queryable,
  accounts: readonly AccountName[],
): Promise<ReadonlySet<number>> {
  const found = await run<{ index: number }>(on, BEING_WITHDRAWN, [
    accounts.map(({ importSupplier }) => importSupplier),
    accounts.map(({ externalAccountNumber }) => externalAccountNumber),
  ]);
  return new Set(found.map(({ index }) => index));
}

/** The refusal of a request for an account that was not found: a running withdrawal may have deleted it while the request waited for its lock. */
export async function refuseMissingAccount(
  on: Queryable,
  importSupplier: string,
  externalAccountNumber: string,
): Promise<Refused> {
  const { size } = await findBeingWithdrawn(on, [{ importSupplier, externalAccountNumber }]);
  return size === 0
    ? refuse('account_not_found')
    : refuse('account_being_withdrawn', { retryAfterSeconds: WITHDRAWAL_RETRY_SECONDS });
}

/**
 * SQL of the accounts that were withdrawn from an import process, as JSON.
 * @param by expression on the withdrawal `d`
 */
export const withdrawnAccountsSql = (by: string): string => `
  select json_agg(json_build_object('service_account_number', w.number,
    'withdrawn_at', to_char(w.withdrawn_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'withdrawn_by', ${by}, 'reason', d.reason, 'withdrawal_id', d.id) order by w.withdrawn_at)
  from withdrawn_account w cross join lateral (select * from withdrawal where withdrawal.id = w.withdrawal_id limit 1) d
  where w.import_supplier = p.import_supplier and w.external_account_number = p.external_account_number`;
