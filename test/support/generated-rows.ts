import type pg from 'pg';
import { LOOKUPS, OTHERS } from './generated-others.ts';
import { idOf } from './generated-ids.ts';

export interface GeneratedRows {
  /** Number of copies of the existing account. */
  accounts: number;
  /** Identifiers that were looked up, in batches of 100,000. */
  points: number;
  /** Staged accounts besides these, of the same suppliers. */
  staged?: number;
  /** Creates indexes without constraints after the rows; for many rows. */
  indexesLast?: boolean;
  /** Receives the name of each step. */
  onProgress?: (step: string) => void;
}

/** States of accounts, by the last two digits of their number. */
const STATES = `case when n % 100 = 5 then 'REFUSED' when n % 100 = 6 then 'SKIPPED' when n % 100 < 5 then 'STAGED' else 'CREATED' end`;
/** Columns that differ in each copy: SQL by table and column. `c` is the copy, `t` the copied row. */
const OWN_VALUES: Record<string, Record<string, string>> = {
  customer: {
    given_name: `'Given' || c.n`,
    family_name: `'Family' || c.n`,
    email: `'person' || c.n || '@example.org'`,
    mobile_e164: `'+336' || (10000000 + c.n)`,
    landline_e164: `'+333' || (10000000 + c.n)`,
  },
  account_supply_point: {
    supply_point_id: idOf('c.created_at', 3, 'c.n * 16 + t.position'),
    switch_status: 'c.switch_status',
  },
  agreement: { tariff_code: `'TARIFF-' || case when c.n % 5000 = 7 then 99 else c.n % 40 end` },
  payment_instruction: { reference: `'RUM-' || c.n || '-' || t.position`, verification_id: 'null::uuid' },
  payment_verification: { id: 'gen_random_uuid()', workflow_id: `'payment/' || c.n` },
  switch_request: { request_id: 'gen_random_uuid()' },
};

/**
 * Fills a database with the rows of many accounts: copies of the existing account in four states, for four import
 * suppliers, over a hundred days; also businesses, jobs, batches, messages and an audit. Foreign keys are not checked,
 * and staged payloads are small.
 * @param client connected as the owner of the tables
 */
export async function generateRows(client: pg.ClientBase, wanted: GeneratedRows): Promise<void> {
  const run = async (step: string, statement: string, values: unknown[] = []) => {
    wanted.onProgress?.(step);
    await client.query(statement, values);
  };
  const indexes = wanted.indexesLast === true ? await dropIndexes(client) : [];
  await client.query('set session_replication_role = replica');
  await run('copies', COPIES, [wanted.accounts]);
  await client.query('analyze copy');
  for (const [step, statement] of [...PROCESSES, ...(await accountRows(client)), ...BUSINESSES, ...OTHERS]) {
    await run(step, statement, statement.includes('$1') ? [wanted.accounts] : []);
  }
  for (const [step, statement] of LOOKUPS) await run(step, statement, [wanted.points]);
  if (wanted.staged !== undefined) for (const [step, statement] of STAGED) await run(step, statement, [wanted.staged]);
  await client.query('drop table copy');
  await client.query('set session_replication_role = origin');
  for (const { name, definition } of indexes) await run(name, definition);
  await run('analyze', wanted.indexesLast === true ? 'vacuum (analyze)' : 'analyze');
}

/** Drops indexes without constraints. @returns the statements that recreate them */
async function dropIndexes(client: pg.ClientBase): Promise<{ name: string; definition: string }[]> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.relname as name, replace(pg_get_indexdef(i.oid), ' ON ONLY ', ' ON ') as definition from pg_index x join pg_class i on i.oid = x.indexrelid
     where i.relnamespace = 'public'::regnamespace and not x.indisprimary and not exists (select from pg_constraint c where c.conindid = i.oid) order by 1`,
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  return rows;
}

const COPIES = `
  create temporary table copy as
  select n, 'MANY-' || n as external, 'MANY_' || n % 4 as supplier, ${STATES} as fate, staged_at, staged_at + interval '1 hour' as created_at,
    ${idOf('staged_at', 1, 'n')} as process_id, ${idOf(`staged_at + interval '1 hour'`, 2, 'n')} as account_id, 'B-' || n as number,
    case when n % 200 = 9 then 'REJECTED' when n % 50 = 8 then 'IN_PROGRESS' when n % 10 = 7 then 'PENDING' else 'COMPLETED' end as switch_status
  from (select n, date_trunc('milliseconds', now() - interval '100 days' + n * interval '100 days' / $1::integer) as staged_at from generate_series(1, $1::integer) n) s
  order by n`;

const TEMPLATE = `(select * from import_process where external_account_number not like 'MANY-%' order by imported_at nulls last limit 1)`;

const PROCESSES: [string, string][] = [
  [
    'import_supplier',
    `insert into import_supplier (code, name, status) select 'MANY_' || n, 'Many ' || n, 'Ongoing' from generate_series(0, 3) n`,
  ],
  [
    'import_process',
    `insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with, staged_at, updated_at,
       imported_at, skipped_at, refusal)
     select c.process_id, c.supplier, c.external, '{"account_type": "DOMESTIC"}', '[]', t.payload_hash, t.validated_with, c.staged_at, c.staged_at,
       case c.fate when 'CREATED' then c.created_at end, case c.fate when 'SKIPPED' then c.staged_at end,
       case when c.fate <> 'REFUSED' then null when c.n % 1000 = 905 then '{"code": "creation_failed"}'::jsonb
         else jsonb_build_object('code', 'import_process_failed_validation', 'errors', jsonb_build_array(
           jsonb_build_object('code', case when c.n % 3000 = 105 then 'invalid_siret' else 'business_contract_not_found' end, 'attr', 'business'))) end
     from copy c, ${TEMPLATE} t`,
  ],
  [
    'import_process_revision',
    `insert into import_process_revision (import_process_id, revision, payload_hash, staged_at)
     select c.process_id, 1, t.payload_hash, c.staged_at from copy c, ${TEMPLATE} t`,
  ],
];

const STAGED_ID = idOf(`now() - interval '50 days' + n * interval '1 millisecond'`, 1, '1000000000 + n');
/** $1 staged accounts that belong to no wave. */
const STAGED: [string, string][] = [
  [
    'staged import_process',
    `insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with, staged_at, updated_at)
     select ${STAGED_ID}, 'MANY_' || n % 4, 'WAITS-' || n, '{"account_type": "DOMESTIC"}', '[]', t.payload_hash, t.validated_with,
       now() - interval '50 days' + n * interval '1 millisecond', now() - interval '50 days' + n * interval '1 millisecond'
     from generate_series(1, $1::integer) n, ${TEMPLATE} t`,
  ],
  [
    'staged import_process_revision',
    `insert into import_process_revision (import_process_id, revision, payload_hash, staged_at)
     select ${STAGED_ID}, 1, t.payload_hash, now() - interval '50 days' + n * interval '1 millisecond' from generate_series(1, $1::integer) n, ${TEMPLATE} t`,
  ],
];

/** Builds a statement for the account table and for each child table, with all their columns. */
async function accountRows(client: pg.ClientBase): Promise<[string, string][]> {
  const { rows: columns } = await client.query<{ table_name: string; names: string[] }>(
    `select table_name, array_agg(column_name::text) as names from information_schema.columns
     where table_schema = 'public' and is_generated = 'NEVER' and is_identity = 'NO' group by 1 having 'account_id' = any(array_agg(column_name::text)) or table_name = 'account' order by 1`,
  );
  const template = `(select a.id from account a join ${TEMPLATE} p on p.id = a.import_process_id)`;
  return [
    [
      'supply_point',
      `insert into supply_point (id, supply_type, identifier)
       select ${idOf('c.created_at', 3, 'c.n * 16 + t.position')}, 'ELECTRICITY', '9' || lpad((c.n * 16 + t.position)::text, 13, '0')
       from copy c, account_supply_point t where c.fate = 'CREATED' and t.account_id = ${template}`,
    ],
    ...columns.map(({ table_name: table, names }): [string, string] => {
      const own = { account_id: 'c.account_id', ...(table === 'account' ? ACCOUNT : OWN_VALUES[table]) };
      const values = names.map((name) => new Map(Object.entries(own)).get(name) ?? `t.${name}`);
      const key = table === 'account' ? 'id' : 'account_id';
      return [
        table,
        `insert into ${table} (${names.join(', ')}) select ${values.join(', ')} from copy c, ${table} t where c.fate = 'CREATED' and t.${key} = ${template}`,
      ];
    }),
  ];
}

const ACCOUNT: Record<string, string> = {
  id: 'c.account_id',
  number: 'c.number',
  creation_id: 'gen_random_uuid()',
  import_process_id: 'c.process_id',
  import_supplier: 'c.supplier',
  external_account_number: 'c.external',
  switch_status: 'c.switch_status',
  business_contract_id: `case when c.n % 25 = 0 then md5('contract' || c.n % 50 || c.supplier)::uuid when c.n % 50 = 1 and c.n <= (select max(n) / 10 from copy) then md5('contract' || c.n || c.supplier)::uuid end`,
  created_at: 'c.created_at',
};

/** Each of many accounts has its own business contract, and a few contracts of one business have very many accounts. */
const BUSINESSES: [string, string][] = [
  [
    'business',
    `insert into business (id, service_business_id, import_supplier, external_business_identifier, company_name, sent_empty)
     select md5('shop' || n)::uuid, 1000000000 + n, 'MANY_' || n % 4, 'SHOP-' || n, 'Shop ' || n, '{}' from generate_series(1, $1 / 10) n`,
  ],
  [
    'business_contract',
    `insert into business_contract (id, business_id, import_supplier, position, identifier, valid_from_date, sent_empty, came_with_business)
     select case when n % 25 = 0 and n <= 100 then md5('contract' || n % 50 || 'MANY_' || n % 4)::uuid else md5('contract' || n || 'MANY_' || n % 4)::uuid end,
       md5('shop' || n)::uuid, 'MANY_' || n % 4, 0, 'CONTRACT-' || n, '2026-01-01', '{}', true from generate_series(1, $1 / 10) n`,
  ],
];
