import type { EntityManager } from '@mikro-orm/postgresql';
import { owedSwitchIdsSql, switchViewSql } from '../switching/index.ts';
import { accountBalanceSql } from '../transactions/index.ts';
import type { AccountKey } from './skip-mark.schema.ts';

/** An instant as every other answer writes it, whatever the time zone of the session. */
const instant = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

interface Nested {
  /** Columns that hold an instant. */
  instants?: string[];
  /** Members that are no columns: name -> SQL. `t` is the row. */
  members?: Record<string, string>;
  /** Columns that only tell where the row belongs. */
  without?: string[];
}

/** All rows of a table that belong somewhere, in the payload's order, without the columns that only lead there. */
function rowsOf(table: string, where: string, { instants = [], members = {}, without = [] }: Nested = {}): string {
  const hidden = ['account_id', 'position', 'point_position', ...without].map((column) => ` - '${column}'`).join('');
  const added = [...instants.map((column) => [column, instant(`t.${column}`)]), ...Object.entries(members)].map(([name, sql]) => `'${name}', ${sql}`).join(', ');
  return `coalesce((select jsonb_agg(to_jsonb(t)${hidden}${added ? ` || jsonb_build_object(${added})` : ''} order by t.position) from ${table} t where ${where}), '[]')`;
}

/** Rows below `t`, a row of the level above. */
const below = (table: string, column: string, nested: Nested = {}) => {
  const inner = rowsOf(table, `t.account_id = above.account_id and t.${column} = above.position`, { ...nested, without: [...(nested.without ?? []), column] });
  return `(select ${inner} from (select t.account_id, t.position) above)`;
};

const ofAccount = (table: string, nested: Nested = {}) => rowsOf(table, 't.account_id = a.id', nested);
const ofPoint = (table: string, nested: Nested = {}) => below(table, 'point_position', nested);

/** The instruction that an ACTIVE_EXISTING preference names is stored on its account, or the preference is unresolved. */
const UNRESOLVED = `t.type = 'ACTIVE_EXISTING' and not exists (
  select from payment_instruction i where i.account_id = t.account_id and i.vendor = t.vendor_name and i.reference = t.vendor_reference)`;

const INSTRUCTION_INSTANTS = ['created_at', 'verified_at', 'replaced_at'];

const SUPPLY_POINTS = below('account_supply_point', 'address_position', {
  without: ['supply_point_id'],
  members: {
    identifier: '(select m.identifier from supply_point m where m.id = t.supply_point_id)',
    supply_type: '(select m.supply_type from supply_point m where m.id = t.supply_point_id)',
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
  other_payment_instructions: rowsOf('payment_instruction', 't.account_id = a.id and t.point_position is null', { instants: INSTRUCTION_INSTANTS }),
  payment_verifications: `coalesce((select jsonb_agg(jsonb_build_object('vendor', v.vendor, 'type', v.type, 'reference', v.reference, 'workflow_id', v.workflow_id,
      'outcome', v.outcome, 'reason', v.reason, 'requested_at', ${instant('v.requested_at')}, 'settled_at', ${instant('v.settled_at')}) order by v.requested_at, v.id)
    from payment_verification v where v.account_id = a.id), '[]')`,
  statements: ofAccount('statement', { instants: ['created_at'] }),
  ledgers: ofAccount('ledger', { members: { energy_cheques: below('energy_cheque', 'ledger_position') } }),
  notes: ofAccount('note', { instants: ['created_at', 'unpin_at'], without: ['fingerprint'], members: { documents: below('note_document', 'note_position') } }),
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
  from account a where a.import_process_id = p.id`;

const IMPORT_PROCESS = `jsonb_build_object(
  'revision', p.revision, 'payload_hash', encode(p.payload_hash, 'hex'), 'validated_with', p.validated_with,
  'staged_at', ${instant('p.staged_at')}, 'updated_at', ${instant('p.updated_at')}, 'imported_at', ${instant('p.imported_at')},
  'skipped_at', ${instant('p.skipped_at')}, 'skip_reason', p.skip_reason, 'refusal', p.refusal, 'payload', p.payload,
  'revisions', (select jsonb_agg(jsonb_build_object('revision', r.revision, 'payload_hash', encode(r.payload_hash, 'hex'), 'staged_at', ${instant('r.staged_at')}) order by r.revision)
    from import_process_revision r where r.import_process_id = p.id))`;

/** Runs that the account waits in: alone, in the batch that its slot of the concurrency limit belongs to, at a payment vendor, or for its switch. */
const WORKFLOW_IDS = `(
  select coalesce(jsonb_agg(distinct w.id), '[]') from (
    select p.workflow_id union all select s.workflow_id from creation_slot s where s.import_process_id = p.id
    union all select v.workflow_id from account a join payment_verification v on v.account_id = a.id and v.outcome is null where a.import_process_id = p.id
    union all ${owedSwitchIdsSql}) w (id)
  where w.id is not null)`;

/**
 * All that is stored of an import process and of the account that was made of it, in one statement (design 4).
 * @returns JSON text, which keeps digits that a number of JavaScript would lose; undefined if there is no such process
 */
export async function findAccount(em: EntityManager, key: AccountKey): Promise<string | undefined> {
  const [row] = await em.execute<{ json: string }[]>(
    `select jsonb_build_object('import_supplier', p.import_supplier, 'external_account_number', p.external_account_number,
       'workflow_ids', ${WORKFLOW_IDS}, 'import_process', ${IMPORT_PROCESS}, 'account', (${ACCOUNT}))::text as json
     from import_process p where p.import_supplier = ? and p.external_account_number = ?`,
    [key.import_supplier, key.external_account_number],
  );
  return row?.json;
}
