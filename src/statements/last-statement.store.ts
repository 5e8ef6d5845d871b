import type { Queryable, Statement } from '../platform/database/database.ts';

const LAST_STATEMENT_END: Statement = {
  name: 'last-statement-end',
  text: `select to_char(max(bill_period_to_date), 'YYYY-MM-DD') as day from statement where account_id = $1`,
};

/** The last day that a statement of the account covers, `YYYY-MM-DD`; null if it has none. */
export async function findLastStatementEnd(database: Queryable, accountId: string): Promise<string | null> {
  const [row] = await database.run<{ day: string | null }>(LAST_STATEMENT_END, [accountId]);
  return row?.day ?? null;
}
