import { keysetPages } from '../foundation/keyset-pages.ts';
import { kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import type { WithdrawalTables } from './withdrawal.entity.ts';

/** Lines per statement. */
const PAGE_SIZE = 5_000;

/** Reads the accounts that a withdrawal kept as JSON lines, in the order of their external numbers. */
export function readKeptAccounts(on: Queryable, withdrawalId: string): AsyncGenerator<string> {
  return linesOf((after) =>
    kyselyOf<WithdrawalTables>(on)
      .selectFrom('withdrawal_obstacle')
      .select(['external_account_number', 'external_account_number as key', 'codes as obstacles'])
      .where('withdrawal_id', '=', withdrawalId)
      .where('external_account_number', '>', after)
      .orderBy('external_account_number')
      .limit(PAGE_SIZE)
      .execute(),
  );
}

/** Reads the businesses whose contracts withdrawn accounts had as JSON lines, in the order of their identifiers. */
export function readBusinessesOf(on: Queryable, withdrawalId: string): AsyncGenerator<string> {
  return linesOf((after) =>
    kyselyOf<WithdrawalTables>(on)
      .selectFrom('withdrawal_business')
      .select(['external_business_identifier', 'external_business_identifier as key', 'service_business_id', 'outcome'])
      .where('withdrawal_id', '=', withdrawalId)
      .where('external_business_identifier', '>', after)
      .orderBy('external_business_identifier')
      .limit(PAGE_SIZE)
      .execute(),
  );
}

/** @param read reads the rows after a key */
async function* linesOf(read: (after: string) => Promise<{ key: string }[]>): AsyncGenerator<string> {
  for await (const rows of keysetPages('', PAGE_SIZE, ({ key }) => key, read)) {
    for (const { key: _key, ...line } of rows) yield `${JSON.stringify(line)}\n`;
  }
}
