import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';

/**
 * SQL of an account's balance, exact to the cent. A positive balance is the customer's credit: payments and credits, minus charges
 * and repayments.
 * @param accountId SQL of the account's id
 */
export function accountBalanceSql(accountId: string): string {
  return `(select (coalesce(sum(case when m.type in ('PAYMENT', 'CREDIT') then m.amount else -m.amount end), 0))::numeric(40, 2)::text
    from transaction m where m.account_id = ${accountId})`;
}

const BALANCE: PreparedQuery = { name: 'account-balance', text: `select ${accountBalanceSql('$1::uuid')} as balance` };

/** The balance of an account from its transactions, as a decimal with two places; `0.00` if it has none. */
export async function accountBalance(database: Queryable, accountId: string): Promise<string> {
  const [row] = await run<{ balance: string }>(database, BALANCE, [accountId]);
  return row!.balance;
}
