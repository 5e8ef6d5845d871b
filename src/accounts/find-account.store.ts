import type { EntityManager } from '@mikro-orm/postgresql';
import { owedSwitchIdsSql, switchViewSql } from '../switching/index.ts';
import { accountBalanceSql } from '../transactions/index.ts';
import type { AccountKey } from './skip-mark.schema.ts';

/** An instant as every other answer writes it, whatever the time zone of the session. */
const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

interface Nested {
  /** Columns that hold an instant. */
  instants?: string[];
  /** Members that are no columns, or replace one: name -> SQL. `t` is the row. */
  members?: Record<string, string>;
  /** SQL of an object with further members. */
  more?: string;
  /** Columns that only tell where the row belongs. */
  without?: string[];
}

/** A row as operators see it, without the columns that only lead to it. */
function rowSql({ instants = [], members = {}, more, without = [] }: Nested): string {
  const hidden = ['account_id', 'position', 'point_position', ...without].map((column) => ` - '${column}'`).join('');
  const added = [...instants.map((column) => [column, instant(`t.${column}`)]), ...Object.entries(members)].map(([name, sql]) => `'${name}', ${sql}`).join(', ');
  return `to_jsonb(t)${hidden}${added ? ` || jsonb_build_object(${added})` : ''}${more ? ` || ${more}` : ''}`;
}

/** The process and its account, of which all that follows is. */
const KEY = `key as materialized (
  select p.id as process_id, a.id as account_id, s.document_root
  from import_process p join import_supplier s on s.code = p.import_supplier left join account a on a.import_process_id = p.id
  where p.import_supplier = ? and p.external_account_number = ?)`;
const ACCOUNT_ID = '(select account_id from key)';

/** All rows of the account in a table, in the payload's order. */
const ofAccount = (table: string, nested: Nested = {}, where = '') =>
  `(select coalesce(jsonb_agg(${rowSql(nested)} order by t.position), '[]') from ${table} t where t.account_id = ${ACCOUNT_ID}${where})`;

/**
 * The levels below the first, each as one object: position of the row above -> its rows. Every table is read once for the
 * whole account and each row above finds its own by key, so that the work grows with the account and not with its square.
 */
const LEVELS: string[] = [];

/** Rows below `t`, a row of the level above. */
function below(table: string, column: string, nested: Nested = {}): string {
  LEVELS.push(`below_${table} as materialized (
    select coalesce(jsonb_object_agg(above::text, found), '{}') as rows from (
      select t.${column} as above, jsonb_agg(${rowSql({ ...nested, without: [...(nested.without ?? []), column] })} order by t.position) as found
      from ${table} t where t.account_id = ${ACCOUNT_ID} and t.${column} is not null group by t.${column}) by_parent)`);
  return `coalesce((select rows from below_${table}) -> t.position::text, '[]')`;
}

const ofPoint = (table: string, nested: Nested = {}) => below(table, 'point_position', nested);

/** The instruction that an active preference names is in force on its account, or the preference is unresolved. */
const KNOWN_INSTRUCTIONS = `known_instruction as materialized (
  select coalesce(jsonb_object_agg(jsonb_build_array(i.vendor, i.reference)::text, true), '{}') as names from payment_instruction i where i.account_id = ${ACCOUNT_ID} and i.replaced_at is null)`;
const UNRESOLVED = `t.type <> 'PASSIVE' and (select names from known_instruction) -> jsonb_build_array(t.vendor_name, t.vendor_reference)::text is null`;

/** What the network operator said of a point, if it was asked. */
const LOOKED_UP = `(select jsonb_build_object('identifier', m.identifier, 'supply_type', m.supply_type, 'look_up', case when m.populated_at is not null then jsonb_build_object(
    'facts', m.facts, 'source', m.facts_source, 'looked_up_at', ${instant('m.populated_at')}, 'with_customer_authorisation', m.facts_with_authorisation) end)
  from supply_point m where m.id = t.supply_point_id)`;

/** Where a document lies: the root that it was accepted under, or today's where there was none. */
const locationOf = (path: string) => {
  const root = 'coalesce(t.document_root, (select document_root from key))';
  return `(case when ${root} ~ '^file:/+$' then 'file:///' else rtrim(${root}, '/') || '/' end || ${path})`;
};

/** A note is pinned until it is to be unpinned. */
const IS_PINNED = 't.is_pinned and (t.unpin_at is null or t.unpin_at > now())';

const INSTRUCTION_INSTANTS = ['created_at', 'verified_at', 'replaced_at'];

const SUPPLY_POINTS = below('account_supply_point', 'address_position', {
  without: ['supply_point_id'],
  more: LOOKED_UP,
  members: {
    agreements: ofPoint('agreement', { instants: ['agreed_at'], members: { addons: below('agreement_addon', 'agreement_position') } }),
    payment_schedules: ofPoint('payment_schedule'),
    payment_instructions: ofPoint('payment_instruction', { instants: INSTRUCTION_INSTANTS }),
    payment_preferences: ofPoint('payment_preference', { members: { unresolved: UNRESOLVED } }),
  },
});

const PARTS = {
  customers: ofAccount('customer'),
  business_details: ofAccount('account_business_detail'),
  supply_addresses: ofAccount('supply_address', { members: { supply_points: SUPPLY_POINTS } }),
  other_payment_instructions: ofAccount('payment_instruction', { instants: INSTRUCTION_INSTANTS }, ' and t.point_position is null'),
  payment_verifications: `coalesce((select jsonb_agg(jsonb_build_object('vendor', v.vendor, 'type', v.type, 'reference', v.reference, 'workflow_id', v.workflow_id,
      'outcome', v.outcome, 'reason', v.reason, 'requested_at', ${instant('v.requested_at')}, 'settled_at', ${instant('v.settled_at')}) order by v.requested_at, v.id)
    from payment_verification v where v.account_id = a.id), '[]')`,
  statements: ofAccount('statement', { instants: ['created_at'], without: ['document_root'], members: { location: locationOf('t.statement_path') } }),
  ledgers: ofAccount('ledger', { members: { energy_cheques: below('energy_cheque', 'ledger_position') } }),
  notes: ofAccount('note', {
    instants: ['created_at', 'unpin_at'], without: ['fingerprint'],
    members: { is_pinned: IS_PINNED, documents: below('note_document', 'note_position', { without: ['document_root'], members: { location: locationOf('t.document_path') } }) },
  }),
  balance: accountBalanceSql('a.id'),
  transactions: ofAccount('transaction', {
    instants: ['created_at'],
    members: { line_items: below('transaction_line_item', 'transaction_position'), tax_items: below('transaction_tax_item', 'transaction_position') },
  }),
  campaigns: ofAccount('account_campaign'),
  ...switchViewSql,
  metadata: ofAccount('account_metadata'),
  account_contracts: ofAccount('account_contract', {
    members: { versions: below('account_contract_version', 'contract_position', { members: { terms: below('account_contract_term', 'version_position') } }) },
  }),
};

const ACCOUNT = `
  select to_jsonb(a) - 'id' - 'number' - 'import_process_id' - 'import_supplier' - 'external_account_number' - 'business_contract_id'
    || jsonb_build_object('service_account_number', a.number, 'created_at', ${instant('a.created_at')})
    || jsonb_build_object(${Object.entries(PARTS).map(([name, sql]) => `'${name}', ${sql}`).join(',\n')})
  from account a where a.id = ${ACCOUNT_ID}`;

const IMPORT_PROCESS = `jsonb_build_object(
  'revision', p.revision, 'payload_hash', encode(p.payload_hash, 'hex'), 'validated_with', p.validated_with,
  'staged_at', ${instant('p.staged_at')}, 'updated_at', ${instant('p.updated_at')}, 'imported_at', ${instant('p.imported_at')},
  'skipped_at', ${instant('p.skipped_at')}, 'skip_reason', p.skip_reason, 'refusal', p.refusal, 'document_root', p.document_root, 'payload', p.payload,
  'revisions', (select jsonb_agg(jsonb_build_object('revision', r.revision, 'payload_hash', encode(r.payload_hash, 'hex'), 'staged_at', ${instant('r.staged_at')}) order by r.revision)
    from import_process_revision r where r.import_process_id = p.id))`;

/** Runs that the account waits in: alone, in the batch that its slot of the concurrency limit belongs to, at a payment vendor, or for its switch. */
const WORKFLOW_IDS = `(
  select coalesce(jsonb_agg(distinct w.id), '[]') from (
    select p.workflow_id union all select s.workflow_id from creation_slot s where s.import_process_id = p.id
    union all select v.workflow_id from account a join payment_verification v on v.account_id = a.id and v.outcome is null where a.import_process_id = p.id
    union all ${owedSwitchIdsSql}) w (id)
  where w.id is not null)`;

/** The whole view in one statement, so that all of it is of one moment. Parameters: import supplier, external account number. */
export const FIND_ACCOUNT = `
  with ${[KEY, KNOWN_INSTRUCTIONS, ...LEVELS].join(',\n')}
  select jsonb_build_object('import_supplier', p.import_supplier, 'external_account_number', p.external_account_number,
    'workflow_ids', ${WORKFLOW_IDS}, 'import_process', ${IMPORT_PROCESS}, 'account', (${ACCOUNT}))::text as json
  from import_process p where p.id = (select process_id from key)`;

/**
 * All that is stored of an import process and of the account that was made of it.
 * @returns JSON text, which keeps digits that a number of JavaScript would lose; undefined if there is no such process
 */
export async function findAccount(em: EntityManager, key: AccountKey): Promise<string | undefined> {
  const [row] = await em.execute<{ json: string }[]>(FIND_ACCOUNT, [key.import_supplier, key.external_account_number]);
  return row?.json;
}
