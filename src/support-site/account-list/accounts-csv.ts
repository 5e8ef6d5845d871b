import { listAccounts } from '../../account-view/index.ts';
import type { AccountFilter } from '../../account-view/account-filter.schema.ts';
import { cursorIn, listOrderOf } from '../../account-view/account-filter.rules.ts';
import type { ListedAccount } from '../../account-view/list-accounts.schema.ts';
import type { Queryable } from '../../platform/database/prepared-query.ts';
import { csvHead, csvLine } from '../frame/csv.rules.ts';

/** Most accounts of one file; a spreadsheet takes no more lines. */
export const FILE_ACCOUNTS_MAX = 1_000_000;
const PAGE_SIZE = 1_000;

const COLUMNS = [
  'import_supplier',
  'external_account_number',
  'service_account_number',
  'status',
  'switch_status',
  'refusal_codes',
  'staged_at',
  'created_at',
] as const satisfies (keyof ListedAccount)[];

/** All accounts of a list as CSV, a page at a time; each is read when the one before was taken. */
export async function* accountsCsv(lists: Queryable, filter: AccountFilter): AsyncGenerator<string> {
  yield csvHead(COLUMNS);
  let cursor: string | undefined;
  for (let written = 0; written < FILE_ACCOUNTS_MAX;) {
    const after = cursor === undefined ? undefined : cursorIn(cursor, listOrderOf(filter));
    const page = await listAccounts(lists, filter, { after, limit: PAGE_SIZE });
    yield page.accounts.map(lineOf).join('');
    written += page.accounts.length;
    cursor = page.nextCursor;
    if (cursor === undefined) return;
  }
}

function lineOf(account: ListedAccount): string {
  return csvLine(COLUMNS.map((column) => (column === 'refusal_codes' ? account[column].join(' ') : account[column])));
}
