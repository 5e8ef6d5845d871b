import { run, type PreparedQuery, type Queryable } from '../platform/database/prepared-query.ts';
import { refuse, type Refused } from '../vocabulary/refusals.ts';
import { WITHDRAWAL_RETRY_SECONDS } from '../vocabulary/withdrawals.ts';

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
