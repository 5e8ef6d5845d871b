import type { Pool, PoolClient } from 'pg';
import type { DifferenceKind } from '../../src/vocabulary/reconciliation.ts';

export interface CataloguedColumn {
  table: string;
  column: string;
  type: string;
  nullable: boolean;
}

/** Lists the columns of account and of every table that refers to it, directly or indirectly. */
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

/** Other values by type, as SQL with `v` for the current value. The first one that the CHECKs of the table accept is used. */
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
/** Members of closed sets, for columns that accept no other values. */
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

/** A change of a row; values as text. */
export interface SeededChange {
  /** Position of the child row before the change. */
  position: number;
  before: string | null;
  after: string | null;
}

/**
 * Changes one column of one row of an account as the service never does, without checking foreign keys.
 * @param random selects the row and the value
 * @returns the old and the new value; undefined if the account has no such row, or no other value is allowed
 */
async function seedChange(
  client: PoolClient,
  accountId: string,
  { table, column, type, nullable }: CataloguedColumn,
  random: () => number,
): Promise<SeededChange | undefined> {
  const [owner, place] = table === 'account' ? ['id', '0'] : ['account_id', 'position'];
  const { rows } = await client.query<{ ctid: string; position: number; before: string | null }>(
    `select ctid::text, ${place} as position, "${column}"::text as before from ${table} where ${owner} = $1`,
    [accountId],
  );
  const first = Math.floor(random() * rows.length);
  const members = type === 'text' ? MEMBERS.map((member) => `'${member}'`) : [];
  const values = [...(nullable && random() < 0.3 ? ['null'] : []), ...OTHER_VALUES[type]!, ...members];
  for (const row of [...rows.slice(first), ...rows.slice(0, first)]) {
    for (const value of values) {
      const after = await change(client, row.ctid, table, column, value.replaceAll(/\bv\b/g, `t."${column}"`));
      if (after !== undefined) return { position: row.position, before: row.before, after };
    }
  }
  return undefined;
}

/** Changes one column of each account in one transaction. @param columnOf by the index of the account */
export async function seedEach(
  pool: Pool,
  externals: readonly string[],
  columnOf: (index: number) => CataloguedColumn,
  random: () => number,
): Promise<{ external: string; column: CataloguedColumn; change: SeededChange | undefined }[]> {
  const { rows } = await pool.query<{ id: string; external: string }>(
    'select id, external_account_number as external from account where external_account_number = any($1)',
    [externals],
  );
  const ids = new Map(rows.map(({ id, external }) => [external, id]));
  const client = await pool.connect();
  const seeded = [];
  try {
    await client.query('begin');
    await client.query(`set local session_replication_role = 'replica'`);
    for (const [index, external] of externals.entries()) {
      const column = columnOf(index);
      seeded.push({ external, column, change: await seedChange(client, ids.get(external)!, column, random) });
    }
    await client.query('commit');
  } finally {
    client.release();
  }
  return seeded;
}

/** @returns undefined if the value is the same, or a CHECK of the table rejects it */
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

/** The lists of a payload that lead to the rows of a table, in order of nesting. */
const POINTS = ['supply_addresses', 'supply_points'];
const VERSIONS = ['account_contracts', 'versions'];
const LISTS: Record<string, string[]> = {
  account_business_detail: ['business.details'],
  account_campaign: ['account_campaigns'],
  account_contract: ['account_contracts'],
  account_contract_term: [...VERSIONS, 'terms'],
  account_contract_version: VERSIONS,
  account_metadata: ['metadata'],
  account_supply_point: POINTS,
  agreement: [...POINTS, 'agreements'],
  agreement_addon: [...POINTS, 'agreements', 'addons'],
  customer: ['customers'],
  energy_cheque: ['supplementary_ledgers', 'energy_cheques'],
  ledger: ['supplementary_ledgers'],
  note: ['notes'],
  note_document: ['notes', 'document_paths'],
  payment_instruction: [...POINTS, 'payment_instructions'],
  payment_preference: ['payment_preferences'],
  payment_schedule: [...POINTS, 'payment_schedules'],
  statement: ['statements'],
  supply_address: ['supply_addresses'],
  transaction: ['transactions'],
  transaction_line_item: ['transactions', 'line_items'],
  transaction_tax_item: ['transactions', 'tax_items'],
};
/** Members whose name differs from their column; empty if there is no member, so that the path is that of the item. */
const MEMBERS_OF: Record<string, string> = {
  'account.business_contract_id': 'business.business_contract_identifier',
  'account.business_contract_identifier': 'business.business_contract_identifier',
  'account.business_type': 'business.business_type',
  'account.created_at': '',
  'account.siret': 'business.siret',
  'account_contract_term.content': '',
  'account_supply_point.supply_point_id': 'identifier',
  'customer.landline_e164': 'landline',
  'customer.mobile_e164': 'mobile',
  'customer.opted_into_offers': 'customer_preferences.opted_into_offers',
  'customer.opted_into_recommended': 'customer_preferences.opted_into_recommended',
  'customer.opted_into_sms': 'customer_preferences.opted_into_sms',
  'customer.opted_into_updates': 'customer_preferences.opted_into_updates',
  'note.fingerprint': 'body',
  'note.is_pinned': '',
  'note.unpin_at': '',
  'note_document.document_root': 'document_path',
  'payment_instruction.created_at': '',
  'payment_instruction.replaced_at': '',
  'payment_preference.point_position': 'supply_point_identifier',
  'payment_preference.vendor_name': 'instruction_reference_params.vendor_name',
  'payment_preference.vendor_reference': 'instruction_reference_params.vendor_reference',
  'statement.created_at': '',
  'statement.document_root': 'statement_path',
  'statement.gross_amount': '',
  'statement.issued_date': '',
  'statement.number': '',
  'transaction.description': '',
};
/** Columns that are compared as part of a key. */
const LOOKED_UP = [
  'account.business_contract_id',
  'account_supply_point.supply_point_id',
  'payment_preference.point_position',
];

/**
 * The path at which a change must be reported, derived only from the payload.
 * @param sent the payload of the account, with its transactions
 * @param isKey whether the column identifies the row, so that the row is missing at its former place
 * @returns `kind` undefined if the column does not determine it
 */
export function placeOfChange(
  sent: object,
  { table, column }: CataloguedColumn,
  { position, before, after }: SeededChange,
  isKey: boolean,
): { path: string; kind: DifferenceKind | undefined } {
  const path = table === 'account' ? '' : itemPaths(sent, LISTS[table]!)[position]!;
  if (isKey) return { path, kind: 'missing' };
  const name = `${table}.${column}`;
  const member = MEMBERS_OF[name] ?? column;
  const full = [path, member].filter((part) => part !== '').join('.');
  const kind = before === null ? 'extra' : after === null ? 'missing' : 'changed';
  if (name === 'account_metadata.value' || name.endsWith('.consent_data') || name.endsWith('.content')) {
    return jsonChange(full, before, after) ?? { path: full, kind };
  }
  return { path: full, kind: LOOKED_UP.includes(name) ? undefined : kind };
}

function itemPaths(sent: object, lists: readonly string[]): string[] {
  let items: [path: string, item: unknown][] = [['', sent]];
  for (const list of lists) {
    items = items.flatMap(([path, item]) => {
      const found = list.split('.').reduce<any>((inner, name) => inner?.[name], item) as unknown[] | undefined;
      return (found ?? []).map((inner, index): [string, unknown] => [`${path}${list}.${index}.`, inner]);
    });
  }
  return items.map(([path]) => path.slice(0, -1));
}

/** The path of a member that was added to a JSON object or removed from it. */
function jsonChange(path: string, before: string | null, after: string | null) {
  const [was, is] = [before, after].map((text) => Object.keys(text?.startsWith('{') ? JSON.parse(text) : {}));
  const added = is!.find((member) => !was!.includes(member));
  const removed = was!.find((member) => !is!.includes(member));
  if (added !== undefined) return { path: `${path}.${added}`, kind: 'extra' as const };
  return removed === undefined ? undefined : { path: `${path}.${removed}`, kind: 'missing' as const };
}
