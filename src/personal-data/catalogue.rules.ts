import { tableOf } from '../foundation/table.ts';

/** Replaces texts that must not be empty. */
const GONE = `'erased'`;
const OF_ACCOUNT = 't.account_id = who.account_id';
/** Contact data of an account is erased with the last person on it. */
const IS_LAST = `(who.customer is null or not exists (
  select from customer other where other.account_id = who.account_id and other.position <> who.customer and coalesce(other.given_name, other.family_name, other.email) is not null))`;
const IS_THEIRS = '(who.customer is null or t.position = who.customer)';
/** SQL for members that reduce a payload to one of its customers. */
const payloadOfOne = (
  more = '',
) => `case when who.customer is null or t.payload is null then '{}' else jsonb_build_object(
  'payload', jsonb_set(t.payload, '{customers}', coalesce(jsonb_build_array(t.payload -> 'customers' -> who.customer), '[]'))${more}) end`;
/** Lines that claim their key and other lines have separate indexes. */
const hasTheirKey = (line: string) =>
  `(${line}.claims_key and ${line}.key = who.external or not ${line}.claims_key and ${line}.key = who.external)`;
const LINES_OF_ACCOUNT = `${hasTheirKey('t')} and t.job_id in (
  select j.id from import_job j
  where j.import_supplier = who.supplier and j.results_deleted_at is null and j.kind not in ('businesses', 'business-contracts'))`;
/** Errors without their sentences and the names of unknown members, because both can repeat the sender's text. */
const faultsWithout = (column: string) =>
  `(select jsonb_agg(jsonb_build_object('detail', f -> 'code', 'code', f -> 'code', 'attr', case when f ->> 'code' = 'unknown_member' then '"*"'::jsonb else f -> 'attr' end)) from jsonb_array_elements(t.${column}) f)`;

/** Messages that arrived under another number and were assigned to the account. */
const ASSIGNED_MESSAGES = `
      select a.before ->> 'message_id' from audit_entry a
      where a.action = 'market_message.assigned'
        and a.subject = 'account-import-processes/' || who.supplier || '/' || who.external || '/market-messages'`;

/** Legal forms of sole traders, whose business is a person; normalized by `fold_name`. */
const SOLE_TRADERS =
  'ei eirl entrepriseindividuelle entrepreneurindividuel entrepreneurindividuelaresponsabilitelimitee microentreprise microentrepreneur autoentreprise autoentrepreneur professionliberale soletrader soleproprietor soleproprietorship'
    .split(' ')
    .map((form) => `'${form}'`)
    .join(', ');
/** The business of the account, if it is a person. */
const SOLE_TRADER = (id: string) => `${id} = (
  select b.id from account a join business_contract c on c.id = a.business_contract_id join business b on b.id = c.business_id
  where a.id = who.account_id and (fold_name(b.business_type) in (${SOLE_TRADERS}) or b.business_type is null and fold_name(a.business_type) in (${SOLE_TRADERS})))`;

/**
 * Describes the personal data of an account in a table, and how an erasure changes it. In the SQL, `t` is the row, and `who` has
 * account_id, process_id, supplier, external and customer: the position of the person, null for the whole account.
 */
export interface CataloguedTable {
  /** Condition of the rows that belong to an account. Exports contain these rows in full. */
  of?: string;
  /** Condition of the rows that an erasure changes; all by default. */
  erasedWhere?: string;
  /** The values that an erasure writes, by column; null into the other personal columns. */
  erased?: Readonly<Record<string, string>>;
  /** Condition of the rows in an export of one customer, all by default; `exported` is a JSON object that replaces columns. */
  exportedWhere?: string;
  exported?: string;
  /** Columns that other code changes or deletes. */
  erasedElsewhere?: string;
}

/** Tables whose rows are exported in full and kept after an erasure: contracts, keys and amounts. */
const KEPT_TABLES =
  'agreement agreement_addon account_contract account_contract_version account_contract_term payment_schedule payment_instruction payment_preference payment_verification ledger energy_cheque transaction_line_item transaction_tax_item switch_request switch_change';

/** The tables with personal data. Each column declares in its entity whether it is personal (src/platform/database/personal-columns.ts). */
export const personalData = tableOf<CataloguedTable>({
  ...Object.fromEntries(KEPT_TABLES.split(' ').map((table) => [table, { of: OF_ACCOUNT }])),
  customer: { of: OF_ACCOUNT, erasedWhere: IS_THEIRS, exportedWhere: IS_THEIRS },
  account: { of: 't.id = who.account_id', erasedWhere: IS_LAST },
  account_business_detail: { of: OF_ACCOUNT, erased: { value: GONE } },
  account_campaign: { of: OF_ACCOUNT },
  account_metadata: { of: OF_ACCOUNT, erased: { value: `'"erased"'::jsonb` } },
  supply_address: { of: OF_ACCOUNT, erasedWhere: IS_LAST },
  account_supply_point: { of: OF_ACCOUNT, erased: { consent_data: `'{}'::jsonb` } },
  statement: { of: OF_ACCOUNT },
  note: {
    of: OF_ACCOUNT,
    erased: {
      body: `case when t.body is not null then ${GONE} end`,
      fingerprint: `sha256(convert_to('erased/' || t.account_id || '/' || t.position, 'UTF8'))`,
    },
  },
  note_document: { of: OF_ACCOUNT, erased: { document_path: GONE } },
  transaction: { of: OF_ACCOUNT, erased: { sent: `t.sent - '{reason,display_note,note}'::text[]` } },
  market_message: {
    of: `t.message_id in (
      select m.message_id from market_message m where m.import_supplier = who.supplier and m.external_account_number = who.external
      union all ${ASSIGNED_MESSAGES})`,
  },
  import_process: {
    of: 't.id = who.process_id',
    // Hashes are useless to the person, and cover other customers too.
    exported: `${payloadOfOne(`, 'phone_numbers', jsonb_build_array(t.phone_numbers -> who.customer)`)} || '{"field_hashes": null}'`,
    erased: {
      payload_deleted_at: 'coalesce(t.payload_deleted_at, now())',
      skip_reason: `case when t.skip_reason is not null then ${GONE} end`,
    },
  },
  withdrawal: {
    of: 't.import_supplier = who.supplier and t.external_account_number = who.external',
    erased: { reason: GONE },
  },
  withdrawn_account: { of: 't.import_supplier = who.supplier and t.external_account_number = who.external' },
  import_process_revision: { of: 't.import_process_id = who.process_id', exported: payloadOfOne() },
  import_job_line: {
    of: LINES_OF_ACCOUNT,
    erased: { errors: faultsWithout('errors'), warnings: faultsWithout('warnings') },
  },
  import_job_page: { erasedElsewhere: 'body' },
  import_job_cause: {
    of: `exists (select from import_job_line l join import_job j on j.id = l.job_id
      where l.job_id = t.job_id and l.line = t.example_line and ${hasTheirKey('l')} and j.import_supplier = who.supplier)`,
    erased: {
      // The sender chose the name of an unknown member. The place is part of the key, so it must stay unique.
      place: `case when t.code = 'unknown_member' and t.place not like 'erased %' then 'erased ' || gen_random_uuid() else t.place end`,
    },
  },
  idempotency_key: {
    of: 't.import_supplier = who.supplier and t.external_account_number = who.external',
    erased: { claim: `'00000000-0000-0000-0000-000000000000'::uuid`, claimed_until: `'-infinity'::timestamptz` },
  },
  audit_entry: {
    of: `t.subject = any (audit_subjects_of_person(who.supplier, who.external))`,
    erasedElsewhere: 'before after reason salt',
  },
  supply_point: {
    of: 'exists (select from account_supply_point p where p.account_id = who.account_id and p.supply_point_id = t.id)',
  },
  business: { of: SOLE_TRADER('t.id'), erasedWhere: IS_LAST, erased: { company_name: GONE } },
  business_detail: { of: SOLE_TRADER('t.business_id'), erasedWhere: IS_LAST, erased: { value: GONE } },
});

/**
 * The values that an erasure writes to a table, by column.
 * @param personal the columns that the entity of the table declares as personal
 */
export function erasedColumns(
  { erased = {}, erasedElsewhere = '' }: CataloguedTable,
  personal: readonly string[],
): Record<string, string> {
  const isErasedHere = (column: string) => !erasedElsewhere.split(' ').includes(column);
  return Object.fromEntries(personal.filter(isErasedHere).map((column) => [column, erased[column] ?? 'null']));
}
