import type { Pool, PoolClient } from 'pg';

export interface CataloguedColumn {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
}

/** The columns of account and of every table whose foreign keys lead to it, over any number of steps. */
export async function columnsBelowAccount(pool: Pool): Promise<CataloguedColumn[]> {
  const { rows } = await pool.query<CataloguedColumn>(`
    with recursive below as (
      select 'account'::regclass::oid as id
      union
      select k.conrelid from pg_constraint k join below b on k.confrelid = b.id where k.contype = 'f')
    select t.relname as table, c.attname as column, format_type(c.atttypid, null) as type, not c.attnotnull as nullable
    from below b join pg_class t on t.oid = b.id join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
    order by 1, c.attnum`);
  return rows;
}

/** Other values of a type, by the column's own value; the first that the table's checks let stand is taken. */
const OTHER_VALUES: Record<string, string[]> = {
  text: [`v || 'x'`, `'x'`, `left(v, -1)`],
  date: [`v + 1`, `'2024-01-01'`, `v - 1`],
  'timestamp with time zone': [`v + interval '1 microsecond'`, 'now()'],
  integer: ['v + 1', 'v - 1', 'v + 100', '3'],
  bigint: ['v + 1', '1'],
  numeric: ['v + 0.01', '1'],
  'numeric[]': [`v || 1::numeric`, `'{1}'`],
  boolean: ['not v', 'true', 'false'],
  uuid: ['gen_random_uuid()'],
  bytea: [`v || '\\x00'`],
  jsonb: [
    `case jsonb_typeof(v) when 'object' then v || '{"seeded": 1}' else '{}'::jsonb end`,
    `v - (select min(k) from jsonb_object_keys(v) k)`,
  ],
};
/** Members of closed sets, for columns that take nothing else. */
const MEMBERS = [
  'BUSINESS',
  'DOMESTIC',
  'GAS',
  'CARD',
  'MANUAL',
  'ANNUALLY',
  'WEEKLY',
  'PASSIVE',
  'ACTIVE_EXISTING',
  'CREDIT',
];

/**
 * Changes one column of one row of an account, as no operation of the service does: foreign keys are not looked at.
 * @param random picks the row and the value
 * @returns what stood there and what does now, as texts; undefined where the account has no such row, or no other value is allowed
 */
export async function seedChange(
  client: PoolClient,
  accountId: string,
  { table, column, type, nullable }: CataloguedColumn,
  random: () => number,
): Promise<{ before: string | null; after: string | null } | undefined> {
  const owner = table === 'account' ? 'id' : 'account_id';
  const { rows } = await client.query<{ ctid: string; before: string | null }>(
    `select ctid::text, "${column}"::text as before from ${table} where ${owner} = $1`,
    [accountId],
  );
  const first = Math.floor(random() * rows.length);
  const members = type === 'text' ? MEMBERS.map((member) => `'${member}'`) : [];
  const values = [...(nullable && random() < 0.3 ? ['null'] : []), ...OTHER_VALUES[type]!, ...members];
  for (const row of [...rows.slice(first), ...rows.slice(0, first)]) {
    for (const value of values) {
      const after = await change(client, row.ctid, table, column, value.replaceAll(/\bv\b/g, `t."${column}"`));
      if (after !== undefined) return { before: row.before, after };
    }
  }
  return undefined;
}

/** @returns undefined where the value is the same, or a check of the table refuses it */
async function change(
  client: PoolClient,
  ctid: string,
  table: string,
  column: string,
  value: string,
): Promise<string | null | undefined> {
  await client.query('savepoint seed');
  try {
    const { rows } = await client.query<{ after: string | null }>(
      `update ${table} t set "${column}" = ${value} where t.ctid = $1 and (${value}) is distinct from t."${column}" returning "${column}"::text as after`,
      [ctid],
    );
    return rows[0]?.after;
  } catch (error) {
    await client.query('rollback to savepoint seed');
    if ((error as { code?: string }).code?.startsWith('23')) return undefined;
    throw error;
  }
}
