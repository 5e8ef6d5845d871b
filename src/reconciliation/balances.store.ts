import type { EntityManager } from '@mikro-orm/postgresql';
import { type PreparedQuery, type Queryable, run } from '../platform/database/prepared-query.ts';
import { accountBalanceSql } from '../transactions/index.ts';
import { findKeys, type ReconciliationRecord } from './reconciliation.store.ts';
import { addDecimal, hashSum, type Tally } from './tally.rules.ts';

/** Balances of accounts by their accepted and by their stored transactions, with two decimals. */
const COMPARED: PreparedQuery = {
  name: 'reconciled-balances',
  text: `
    select a.external_account_number as external, ${accountBalanceSql('a.id')} as stored,
      (select (coalesce(sum(case when s.sent ->> 'type' in ('PAYMENT', 'CREDIT') then (s.sent ->> 'amount')::numeric
          else -(s.sent ->> 'amount')::numeric end), 0))::numeric(40, 2)::text
        from transaction s where s.account_id = a.id) as accepted
    from account a where a.id = any($1::uuid[])`,
};

/** Adds the opening balances of accounts to the tally, in the transaction that compares them. */
export async function addBalances(em: EntityManager, accountIds: readonly string[], tally: Tally): Promise<void> {
  if (accountIds.length === 0) return;
  const rows = await run<{ external: string; accepted: string; stored: string }>(em, COMPARED, [accountIds]);
  const { balances } = tally;
  const digests = [hashSum(balances.digest[0]), hashSum(balances.digest[1])] as const;
  for (const { external, ...values } of rows) {
    for (const [side, value] of [values.accepted, values.stored].entries()) {
      balances.sum[side] = addDecimal(balances.sum[side]!, value);
      digests[side]!.addHashOf(`${external}\nbalance\t${value}\n`);
    }
  }
  balances.accounts += rows.length;
  balances.digest = [digests[0].toString(), digests[1].toString()];
}

const BALANCES: PreparedQuery = {
  name: 'balances-of-accounts',
  text: `
    select a.external_account_number, ${accountBalanceSql('a.id')} as balance
    from account a where a.import_supplier = $1 and a.external_account_number = any($2::text[])`,
};

/** Accounts per query. */
const READ = 1_000;

/** An account with its opening balance; a positive balance is the customer's credit. */
export interface AccountBalance extends Record<string, unknown> {
  external_account_number: string;
  balance: string;
}

/** Reads the present balances of the accounts that a reconciliation compares, page by page. */
export async function* readBalances(on: Queryable, record: ReconciliationRecord): AsyncGenerator<AccountBalance[]> {
  for (let position = record.importJobId === null ? '' : '0'; ;) {
    const found = await findKeys(on, record, 'account', [['>', position]], READ);
    if (found.length === 0) return;
    const keys = found.flatMap(({ key }) => key ?? []);
    const balances = await run<AccountBalance>(on, BALANCES, [record.importSupplier, keys]);
    const byNumber = new Map(balances.map((one) => [one.external_account_number, one]));
    yield keys.flatMap((key) => byNumber.get(key) ?? []);
    position = found.at(-1)!.position;
  }
}
