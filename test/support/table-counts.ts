import type { Database } from '../../src/platform/database/database.ts';

/**
 * Sums over tables between which the worker's periodic steps move rows: counts are folded, and events get positions at
 * any time, and audit entries are sealed in blocks. `account_day` and `count_minute` are excluded, because they contain only data that the counts include, and
 * `party_minute`, because it is written some seconds after the calls.
 */
const MOVED_ON = {
  'accounts counted': `(select coalesce(sum(count), 0) from account_count) + (select coalesce(sum(change), 0) from account_count_change)`,
  events: '(select count(*) from event_outbox) + (select count(*) from event)',
};
const MOVED_TABLES = [
  'account_count',
  'account_count_change',
  'account_day',
  'audit_block',
  'count_minute',
  'event',
  'event_outbox',
  'party_minute',
];

/** Number of rows of each table, to show that an operation left nothing behind. */
export async function countAllRows(database: Database): Promise<Record<string, number>> {
  const { rows: tables } = await database.pool.query<{ name: string }>(
    `select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> all ($1) order by 1`,
    [MOVED_TABLES],
  );
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::integer as count from "${name}"`);
  const sums = Object.entries(MOVED_ON).map(([name, sum]) => `select '${name}', (${sum})::integer`);
  const { rows } = await database.pool.query<{ name: string; count: number }>([...counts, ...sums].join(' union all '));
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
}
