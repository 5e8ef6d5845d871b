import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import { accountBalanceSql } from '../transactions/index.ts';
import type { ReconciledTables } from './reconciliation.entity.ts';
import { readAccountKeys, type ReconciliationRecord } from './reconciliation.store.ts';
import { addDecimal, hashSum, type Tally } from './tally.rules.ts';

/** Balance of an account `a` by its stored transactions, and by the accepted ones, with two decimals. */
const STORED = sql<string>`${sql.raw(accountBalanceSql('a.id'))}`;
const ACCEPTED = sql<string>`
  (select (coalesce(sum(case when s.sent ->> 'type' in ('PAYMENT', 'CREDIT') then (s.sent ->> 'amount')::numeric
      else -(s.sent ->> 'amount')::numeric end), 0))::numeric(40, 2)::text
    from transaction s where s.account_id = a.id)`;

/** Adds the opening balances of accounts to the tally, in the transaction that compares them. */
export async function addBalances(em: EntityManager, accountIds: readonly string[], tally: Tally): Promise<void> {
  if (accountIds.length === 0) return;
  const rows = await kyselyOf<ReconciledTables>(em)
    .selectFrom('account as a')
    .select(['external_account_number as external', STORED.as('stored'), ACCEPTED.as('accepted')])
    .where('id', '=', sql<string>`any(${accountIds})`)
    .execute();
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

/** Accounts per query. */
const READ = 1_000;

/** An account with its opening balance; a positive balance is the customer's credit. */
export interface AccountBalance {
  external_account_number: string;
  balance: string;
}

/** Reads the present balances of the accounts that a reconciliation compares, page by page. */
export async function* readBalances(on: Queryable, record: ReconciliationRecord): AsyncGenerator<AccountBalance[]> {
  for await (const found of readAccountKeys(on, record, READ)) {
    const keys = found.flatMap(({ key }) => key ?? []);
    const balances = await kyselyOf<ReconciledTables>(on)
      .selectFrom('account as a')
      .select(['external_account_number', STORED.as('balance')])
      .where('import_supplier', '=', record.importSupplier)
      .where('external_account_number', '=', sql<string>`any(${keys})`)
      .execute();
    const byNumber = new Map(balances.map((one) => [one.external_account_number, one]));
    yield keys.flatMap((key) => byNumber.get(key) ?? []);
  }
}
