import type { EntityManager } from '@mikro-orm/postgresql';
import type { AccountKey } from '../accounts/account-key.schema.ts';
import { isPinnedSql } from '../notes/index.ts';
import { type PreparedQuery, type Queryable, run } from '../platform/database/prepared-query.ts';
import { switchViewSql, switchWorkItemIdsSql } from '../switching/index.ts';
import { withdrawnAccountsSql } from '../accounts/index.ts';
import { accountBalanceSql } from '../transactions/index.ts';
import { type AccountViewRow, type RowList, nestAccountView } from './account-view.rules.ts';

/** An instant in UTC, independent of the session's time zone. */
const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** The rows of a table that belong to the account, as operators see them. */
interface TableRows extends RowList {
  /** Column with the position of the row above; the first level has none. */
  above?: string;
  /** Columns that only lead elsewhere. */
  without?: string[];
  /** Members that are no columns, or replace one: name -> SQL. `t` is the row. */
  members?: Record<string, string>;
  /** SQL of a join to each row. */
  join?: string;
  below?: Readonly<Record<string, TableRows>>;
}

/** The process and its account, of which all that follows is. */
const KEY = `key as materialized (
  select p.id as process_id, a.id as account_id, s.document_root
  from import_process p join import_supplier s on s.code = p.import_supplier left join account a on a.import_process_id = p.id
  where p.import_supplier = ? and p.external_account_number = ?)`;
const ACCOUNT_ID = '(select account_id from key)';

/** The instruction that an active preference names is in force on its account, or the preference is unresolved. */
const KNOWN_INSTRUCTIONS = `known_instruction as materialized (
  select coalesce(jsonb_object_agg(jsonb_build_array(i.vendor, i.reference)::text, true), '{}') as names from payment_instruction i where i.account_id = ${ACCOUNT_ID} and i.replaced_at is null)`;
const UNRESOLVED = `t.type <> 'PASSIVE' and (select names from known_instruction) -> jsonb_build_array(t.vendor_name, t.vendor_reference)::text is null`;

/** The network operator's data of a point, if it was requested. The limit makes the planner use the key. */
const MASTER_RECORD =
  'join lateral (select * from supply_point found where found.id = t.supply_point_id limit 1) m on true';
const LOOKUP = `case when m.populated_at is not null then json_build_object(
  'facts', m.facts, 'source', m.facts_source, 'looked_up_at', ${instant('m.populated_at')}, 'with_customer_authorisation', m.facts_with_authorisation) end`;

/** The location of a document: below the root at its acceptance, or today's root. */
const locationOf = (path: string) => {
  const root = 'coalesce(t.document_root, (select document_root from key))';
  return `(case when ${root} ~ '^file:/+$' then 'file:///' else rtrim(${root}, '/') || '/' end || ${path})`;
};

/** Those of a supply point, and those of the account alone, which have no row above. */
const INSTRUCTIONS: TableRows = { table: 'payment_instruction', above: 'point_position' };

const SUPPLY_POINTS: TableRows = {
  table: 'account_supply_point',
  above: 'address_position',
  without: ['supply_point_id'],
  join: MASTER_RECORD,
  members: { identifier: 'm.identifier', supply_type: 'm.supply_type', look_up: LOOKUP },
  below: {
    agreements: {
      table: 'agreement',
      above: 'point_position',
      below: { addons: { table: 'agreement_addon', above: 'agreement_position' } },
    },
    payment_schedules: { table: 'payment_schedule', above: 'point_position' },
    payment_instructions: INSTRUCTIONS,
    payment_preferences: { table: 'payment_preference', above: 'point_position', members: { unresolved: UNRESOLVED } },
  },
};

const LISTS = {
  customers: { table: 'customer' },
  business_details: { table: 'account_business_detail' },
  supply_addresses: { table: 'supply_address', below: { supply_points: SUPPLY_POINTS } },
  other_payment_instructions: INSTRUCTIONS,
  statements: { table: 'statement', without: ['document_root'], members: { location: locationOf('t.statement_path') } },
  ledgers: { table: 'ledger', below: { energy_cheques: { table: 'energy_cheque', above: 'ledger_position' } } },
  notes: {
    table: 'note',
    without: ['fingerprint'],
    members: { note: 't.position', is_pinned: isPinnedSql('t') },
    below: {
      documents: {
        table: 'note_document',
        above: 'note_position',
        without: ['document_root'],
        members: { location: locationOf('t.document_path') },
      },
    },
  },
  transactions: {
    table: 'transaction',
    below: {
      line_items: { table: 'transaction_line_item', above: 'transaction_position' },
      tax_items: { table: 'transaction_tax_item', above: 'transaction_position' },
    },
  },
  campaigns: { table: 'account_campaign' },
  metadata: { table: 'account_metadata' },
  account_contracts: {
    table: 'account_contract',
    below: {
      versions: {
        table: 'account_contract_version',
        above: 'contract_position',
        below: { terms: { table: 'account_contract_term', above: 'version_position' } },
      },
    },
  },
} satisfies Record<string, TableRows>;

/** Columns that only identify the parent of a row. */
const PLACE = ['account_id', 'position'];
const LEADING_COLUMNS = [
  'id',
  'number',
  'import_process_id',
  'import_supplier',
  'external_account_number',
  'business_contract_id',
];

const ACCOUNT_MEMBERS = {
  service_account_number: 'a.number',
  payment_verifications: `(select coalesce(json_agg(json_build_object('vendor', v.vendor, 'type', v.type, 'reference', v.reference, 'workflow_id', v.workflow_id,
      'outcome', v.outcome, 'reason', v.reason, 'requested_at', ${instant('v.requested_at')}, 'settled_at', ${instant('v.completed_at')}) order by v.requested_at, v.id), '[]')
    from payment_verification v where v.account_id = a.id)`,
  business: `(select json_build_object('external_business_identifier', b.external_business_identifier, 'service_business_id', b.service_business_id, 'company_name', b.company_name)
    from business_contract c join business b on b.id = c.business_id where c.id = a.business_contract_id)`,
  balance: accountBalanceSql('a.id'),
  ...switchViewSql,
};

const IMPORT_PROCESS = `json_build_object(
  'revision', p.revision, 'payload_hash', encode(p.payload_hash, 'hex'), 'validated_with', p.validated_with,
  'staged_at', ${instant('p.staged_at')}, 'updated_at', ${instant('p.updated_at')}, 'imported_at', ${instant('p.imported_at')},
  'skipped_at', ${instant('p.skipped_at')}, 'skip_reason', p.skip_reason, 'refusal', p.refusal, 'document_root', p.document_root, 'payload', p.payload, 'payload_deleted_at', ${instant('p.payload_deleted_at')},
  'withdrawn_accounts', case when p.withdrawn_at is not null then (${withdrawnAccountsSql('d.requested_by')}) end,
  'wave', (select json_build_object('wave_id', w.id, 'name', w.name, 'status', w.status) from wave_account m join wave w on w.id = m.wave_id where m.import_process_id = p.id),
  'revisions', (select json_agg(json_build_object('revision', r.revision, 'payload_hash', encode(r.payload_hash, 'hex'), 'staged_at', ${instant('r.staged_at')}) order by r.revision)
    from import_process_revision r where r.import_process_id = p.id))`;

/** Runs that the account waits in: alone, in the batch that its slot of the concurrency limit belongs to, at a payment vendor, or for its switch. */
const WORKFLOW_IDS = `(
  select coalesce(json_agg(distinct w.id), '[]') from (
    select p.workflow_id union all select s.workflow_id from creation_slot s where s.import_process_id = p.id
    union all select v.workflow_id from account a join payment_verification v on v.account_id = a.id and v.outcome is null where a.import_process_id = p.id
    union all ${switchWorkItemIdsSql} union all select jsonb_array_elements_text(?::jsonb)) w (id)
  where w.id is not null)`;

/** Names of the columns of each table, and which of them hold an instant. */
type Columns = ReadonlyMap<string, readonly { name: string; isInstant: boolean }[]>;

function columnsOfTables(em: EntityManager): Columns {
  const entities = [...em.getMetadata().getAll().values()];
  return new Map(
    entities.map(({ tableName, props }) => [
      tableName,
      props.map(({ fieldNames, runtimeType }) => ({ name: fieldNames[0]!, isInstant: runtimeType === 'Date' })),
    ]),
  );
}

/** The columns of a row and further members as one object, whose members are not walked again. */
function objectSql(
  columns: Columns,
  table: string,
  alias: string,
  without: readonly string[],
  members: Readonly<Record<string, string>> = {},
): string {
  const own = columns
    .get(table)!
    .filter(({ name }) => !without.includes(name))
    .map(({ name, isInstant }) => [name, isInstant ? instant(`${alias}.${name}`) : `${alias}.${name}`]);
  return `json_build_object(${Object.entries({ ...Object.fromEntries(own), ...members })
    .map(([name, sql]) => `'${name}', ${sql}`)
    .join(', ')})::text`;
}

function rowsSql(columns: Columns, { table, above, without = [], members, join = '' }: TableRows): string {
  const hidden = [...PLACE, ...(above === undefined ? [] : [above]), ...without];
  return `select '${table}', ${above === undefined ? 'null' : `t.${above}`}, t.position, ${objectSql(columns, table, 't', hidden, members)} from ${table} t ${join} where t.account_id = ${ACCOUNT_ID}`;
}

/** Every table once, even if it is in two lists. */
function tablesOf(lists: Readonly<Record<string, TableRows>>): Set<TableRows> {
  return new Set(Object.values(lists).flatMap((list) => [list, ...tablesOf(list.below ?? {})]));
}

/**
 * The whole view in one statement, so that all of it is of one moment: a row for each row of each table, which is read
 * once by its key. Parameters: import supplier, external account number, ids of runs that Temporal lists for the account.
 */
export function findAccountSql(em: EntityManager): string {
  const columns = columnsOfTables(em);
  return `with ${KEY}, ${KNOWN_INSTRUCTIONS}
    select 'import_process' as "table", null::int as above, null::int as position, json_build_object('import_supplier', p.import_supplier,
      'external_account_number', p.external_account_number, 'workflow_ids', ${WORKFLOW_IDS}, 'import_process', ${IMPORT_PROCESS})::text as json
    from import_process p where p.id = (select process_id from key)
    union all select 'account', null, null, ${objectSql(columns, 'account', 'a', LEADING_COLUMNS, ACCOUNT_MEMBERS)} from account a where a.id = ${ACCOUNT_ID}
    ${[...tablesOf(LISTS)].map((rows) => `union all ${rowsSql(columns, rows)}`).join('\n')}`;
}

let statement: string | undefined;

/**
 * Returns all stored data of an import process and its account.
 * @param waitingIn ids of runs that wait for the database with this account; only Temporal knows them
 * @returns JSON text, which keeps digits that a JavaScript number would lose; undefined if the process does not exist
 */
export async function findAccount(
  em: EntityManager,
  key: AccountKey,
  waitingIn: readonly string[],
): Promise<string | undefined> {
  statement ??= findAccountSql(em);
  return nestAccountView(
    await em.execute<AccountViewRow[]>(statement, [
      key.import_supplier,
      key.external_account_number,
      JSON.stringify(waitingIn),
    ]),
    LISTS,
  );
}

/** Of more changes than these a revision is another payload. */
const CHANGES_SHOWN_MAX = 200;

/**
 * The payload of a revision is stored with it if a later one replaced it, otherwise in the process; equal hashes mean equal
 * payloads. `payload_changes` is defined in payload-changes.sql.
 */
const FIND_REVISION: PreparedQuery = {
  name: 'find-revision',
  text: `
    with process as materialized (select * from import_process where import_supplier = $1 and external_account_number = $2),
    revision as materialized (select r.* from process p join import_process_revision r on r.import_process_id = p.id and r.revision = $3),
    before as materialized (select b.* from revision r join import_process_revision b on b.import_process_id = r.import_process_id and b.revision = r.revision - 1),
    kept as materialized (
      select k.payload_hash, k.payload from process p join import_process_revision k on k.import_process_id = p.id where k.payload is not null
      union all select payload_hash, payload from process where payload is not null),
    payloads as materialized (
      select (select k.payload from kept k where k.payload_hash = (select payload_hash from revision) limit 1) as now,
        (select k.payload from kept k where k.payload_hash = (select payload_hash from before) limit 1) as before),
    changes as materialized (
      select c.* from payloads p, payload_changes(p.before, p.now, ${CHANGES_SHOWN_MAX + 1}) c where p.before is not null and p.now is not null)
    select json_build_object(
      'revision', r.revision, 'staged_at', to_char(r.staged_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'payload_hash', encode(r.payload_hash, 'hex'), 'payload', p.now,
      'payload_deleted_at', (select to_char(payload_deleted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') from process),
      'content', case when b.revision is null then 'first' when b.payload_hash = r.payload_hash then 'same' else 'other' end,
      'all_changes', (select count(*) from changes) <= ${CHANGES_SHOWN_MAX})::text as json,
      case when p.before is not null and p.now is not null then coalesce(
        (select json_agg(json_build_object('path', c.path, 'before', c.old_value::text, 'after', c.new_value::text)) from (select * from changes limit ${CHANGES_SHOWN_MAX}) c), '[]') end as changes
    from revision r cross join payloads p left join before b on true`,
};

/** JSON texts, which keep digits that a number of JavaScript would lose. */
export interface FoundRevision {
  /** The revision without its changes. */
  json: string;
  /** Null if there is nothing to compare; one side is null if the place did not exist there. */
  changes: { path: string[]; before: string | null; after: string | null }[] | null;
}

/**
 * Returns one revision of staged data with its changes.
 * @returns undefined if the revision does not exist
 */
export async function findRevision(
  database: Queryable,
  { import_supplier: supplier, external_account_number: external }: AccountKey,
  revision: number,
): Promise<FoundRevision | undefined> {
  const [row] = await run<FoundRevision & Record<string, unknown>>(database, FIND_REVISION, [
    supplier,
    external,
    revision,
  ]);
  return row;
}
