import type { Database } from '../../src/platform/database/database.ts';

/** Tables whose rows are moved by the worker's periodic steps at any time. */
const MOVED_TABLES = [
  'account_count',
  'account_count_change',
  'account_day',
  'count_minute',
  'event',
  'event_outbox',
  'party_minute',
  'dispatcher_lease',
];

/** The rows of each table as JSON, sorted; without some tables, and without some columns (`table.column`). */
export async function contentsOfTables(
  database: Pick<Database, 'pool'>,
  without: readonly string[],
): Promise<Record<string, string[]>> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `select relname as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> all ($1) order by 1`,
    [[...MOVED_TABLES, ...without]],
  );
  const contents: Record<string, string[]> = {};
  for (const { name } of tables) {
    const columns = without.filter((one) => one.startsWith(`${name}.`)).map((one) => one.slice(name.length + 1));
    const { rows } = await database.pool.query<{ row: string }>(
      `select (to_jsonb(t) - $1::text[])::text as row from "${name}" t order by 1`,
      [columns],
    );
    contents[name] = rows.map(({ row }) => row);
  }
  return contents;
}
