import type { Database } from '../../src/platform/database/database.ts';

/** How many rows each table holds, to show that something left nothing behind. */
export async function countAllRows(database: Database): Promise<Record<string, number>> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE' order by 1`,
  );
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::integer as count from "${name}"`);
  const { rows } = await database.pool.query<{ name: string; count: number }>(counts.join(' union all '));
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
