import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';

/** An account that data is attached to; its row is locked. */
export interface ImportedAccount {
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
