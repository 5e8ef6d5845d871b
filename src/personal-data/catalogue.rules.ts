import { tableOf } from '../foundation/table.ts';
import type { CataloguedTable } from './catalogued-table.rules.ts';
import { tablesOfNobody } from './tables-of-nobody.rules.ts';

/** What stands for a text that may not be empty. */
const GONE = `'erased'`;
const OF_ACCOUNT = 't.account_id = who.account_id';
/** The contact data of an account goes with the last person on it. */
const IS_LAST = `(who.customer is null or not exists (
  select from customer other where other.account_id = who.account_id and other.position <> who.customer and coalesce(other.given_name, other.family_name, other.email) is not null))`;
const PLACE = 'account_id position';
const IS_THEIRS = '(who.customer is null or t.position = who.customer)';
/** A payload with one of its customers. */
const payloadOfOne = (
  more = '',
) => `case when who.customer is null or t.payload is null then '{}' else jsonb_build_object(
  'payload', jsonb_set(t.payload, '{customers}', coalesce(jsonb_build_array(t.payload -> 'customers' -> who.customer), '[]'))${more}) end`;
/** One index by key holds the lines that have claimed theirs, another one the others. */
const hasTheirKey = (line: string) =>
  `(${line}.claims_key and ${line}.key = who.external or not ${line}.claims_key and ${line}.key = who.external)`;
const LINES_OF_ACCOUNT = `${hasTheirKey('t')} and t.job_id in (
  select j.id from import_job j
  where j.import_supplier = who.supplier and j.results_deleted_at is null and j.kind not in ('businesses', 'business-contracts'))`;
/** A fault without its sentence and without the name of an unknown member, which can repeat what was sent. */
const faultsWithout = (column: string) =>
  `(select jsonb_agg(jsonb_build_object('detail', f -> 'code', 'code', f -> 'code', 'attr', case when f ->> 'code' = 'unknown_member' then '"*"'::jsonb else f -> 'attr' end)) from jsonb_array_elements(t.${column}) f)`;

/** Messages that arrived under another number and were assigned to the account. */
const ASSIGNED_MESSAGES = `
      select a.before ->> 'message_id' from audit_entry a
      where a.action = 'market_message.assigned'
        and a.subject = 'account-import-processes/' || who.supplier || '/' || who.external || '/market-messages'`;

/** Legal forms in which the business is a person, as `fold_name` writes them. */
const SOLE_TRADERS =
  'ei eirl entrepriseindividuelle entrepreneurindividuel entrepreneurindividuelaresponsabilitelimitee microentreprise microentrepreneur autoentreprise autoentrepreneur professionliberale soletrader soleproprietor soleproprietorship'
    .split(' ')
    .map((form) => `'${form}'`)
    .join(', ');
/** The business of the account, if it is a person. */
const SOLE_TRADER = (id: string) => `${id} = (
  select b.id from account a join business_contract c on c.id = a.business_contract_id join business b on b.id = c.business_id
  where a.id = who.account_id and (fold_name(b.business_type) in (${SOLE_TRADERS}) or b.business_type is null and fold_name(a.business_type) in (${SOLE_TRADERS})))`;

const ACCOUNTING = 'Amounts, dates and keys: accounting needs them for ten years.';
const CONTRACT = 'The contract: accounting and network operators need it.';
const WORK = 'Keys, states and times of work.';

/** The catalogue, by table. */
export const personalData = tableOf<CataloguedTable>({
  customer: {
    of: OF_ACCOUNT,
    erasedWhere: IS_THEIRS,
    exportedWhere: IS_THEIRS,
    erased: Object.fromEntries(
      [
        'title given_name family_name email mobile mobile_e164 landline landline_e164 date_of_birth deceased',
        'opted_into_updates opted_into_sms opted_into_offers opted_into_recommended',
      ]
        .flatMap((names) => names.split(' '))
        .map((name) => [name, 'null']),
    ),
    kept: PLACE,
    because: 'That there was a person at this place.',
  },
  account: {
    of: 't.id = who.account_id',
    erasedWhere: IS_LAST,
    erased: {
      billing_address1: 'null',
      billing_address2: 'null',
      billing_address3: 'null',
      billing_address4: 'null',
      billing_postcode: 'null',
    },
    kept: 'id number creation_id import_process_id import_supplier external_account_number operations_team account_type unknown_occupier business_type siret business_contract_identifier business_contract_id sales_channel sales_subchannel last_billed_to_date switch_status created_at',
    because: CONTRACT,
  },
  account_business_detail: {
    of: OF_ACCOUNT,
    erased: { value: GONE },
    kept: `${PLACE} key`,
    because: 'The name that the import supplier has for it.',
  },
  account_campaign: {
    of: OF_ACCOUNT,
    erased: { campaign_note: 'null' },
    kept: `${PLACE} slug`,
    because: 'The campaign.',
  },
  account_metadata: {
    of: OF_ACCOUNT,
    erased: { value: `'"erased"'::jsonb` },
    kept: `${PLACE} key`,
    because: 'The name that the import supplier has for it.',
  },
  supply_address: {
    of: OF_ACCOUNT,
    erasedWhere: IS_LAST,
    erased: { supply_address1: 'null', supply_address2: 'null', supply_address3: 'null', supply_address4: 'null' },
    kept: `${PLACE} supply_postcode customer_at_supply_address_from_date`,
    because: 'The supply point leads to the place; the network operator has its address.',
  },
  account_supply_point: {
    of: OF_ACCOUNT,
    erased: { consent_data: `'{}'::jsonb` },
    kept: `${PLACE} address_position supply_point_id supply_start_date billing_frequency switch_status switch_round held_since released_at`,
    because: CONTRACT,
  },
  agreement: {
    of: OF_ACCOUNT,
    kept: `${PLACE} point_position tariff_code agreed_at effective_from effective_to`,
    because: CONTRACT,
  },
  agreement_addon: { of: OF_ACCOUNT, kept: `${PLACE} agreement_position band`, because: CONTRACT },
  account_contract: { of: OF_ACCOUNT, kept: `${PLACE} identifier valid_from_date signed_at_date`, because: CONTRACT },
  account_contract_version: {
    of: OF_ACCOUNT,
    kept: `${PLACE} contract_position applicable_at_date`,
    because: CONTRACT,
  },
  account_contract_term: { of: OF_ACCOUNT, kept: `${PLACE} version_position term_type content`, because: CONTRACT },
  payment_schedule: {
    of: OF_ACCOUNT,
    kept: `${PLACE} point_position means frequency start_date day_of_month amount`,
    because: ACCOUNTING,
  },
  payment_instruction: {
    of: OF_ACCOUNT,
    kept: `${PLACE} point_position vendor reference type valid_from created_at verification_id verified_at replaced_at`,
    because: 'The reference is a key of the payment vendor, with whom payments are settled by it.',
  },
  payment_preference: {
    of: OF_ACCOUNT,
    kept: `${PLACE} point_position type vendor_name vendor_reference`,
    because: 'The reference is a key of the payment vendor, with whom payments are settled by it.',
  },
  payment_verification: {
    of: OF_ACCOUNT,
    kept: 'id account_id workflow_id vendor type reference requested_at outcome reason completed_at point_position api_key_id is_of_job',
    because: 'The reference is a key of the payment vendor; the reason is a code.',
  },
  ledger: { of: OF_ACCOUNT, kept: `${PLACE} ledger_code`, because: ACCOUNTING },
  energy_cheque: {
    of: OF_ACCOUNT,
    kept: `${PLACE} ledger_position number amount protection_from protection_to valid_to source status asp_remittance_ref`,
    because: ACCOUNTING,
  },
  statement: {
    of: OF_ACCOUNT,
    erased: { statement_path: 'null', accepted_hashes: 'null' },
    kept: `${PLACE} statement_id bill_period_from_date bill_period_to_date document_root issued_date number gross_amount created_at`,
    because: ACCOUNTING,
  },
  note: {
    of: OF_ACCOUNT,
    erased: {
      body: `case when t.body is not null then ${GONE} end`,
      fingerprint: `sha256(convert_to('erased/' || t.account_id || '/' || t.position, 'UTF8'))`,
    },
    kept: `${PLACE} created_at is_pinned unpin_at`,
    because: 'That there was a note, and when.',
  },
  note_document: {
    of: OF_ACCOUNT,
    erased: { document_path: GONE },
    kept: `${PLACE} note_position document_root`,
    because: 'That there was a document.',
  },
  transaction: {
    of: OF_ACCOUNT,
    erased: {
      reason: 'null',
      display_note: 'null',
      note: 'null',
      sent: `t.sent - '{reason,display_note,note}'::text[]`,
    },
    kept: `${PLACE} transaction_id transaction_date amount type reference payment_type product_code description created_at`,
    because: ACCOUNTING,
  },
  transaction_line_item: {
    of: OF_ACCOUNT,
    kept: `${PLACE} transaction_position start_date end_date number_of_units net_amount price_per_unit rate_band units`,
    because: ACCOUNTING,
  },
  transaction_tax_item: {
    of: OF_ACCOUNT,
    kept: `${PLACE} transaction_position amount tax_type value_taxed rate unit_type`,
    because: ACCOUNTING,
  },
  switch_request: {
    of: OF_ACCOUNT,
    kept: 'request_id account_id point_position round requested_at answered_at answer',
    because: 'What the industry switch was asked; keys and times.',
  },
  switch_change: {
    of: OF_ACCOUNT,
    kept: `${PLACE} point_position status_before status_after message_id changed_at`,
    because: 'States of the switch.',
  },
  market_message: {
    of: `t.message_id in (
      select m.message_id from market_message m where m.import_supplier = who.supplier and m.external_account_number = who.external
      union all ${ASSIGNED_MESSAGES})`,
    erased: { reason: 'null', effect_detail: 'null' },
    kept: 'message_id source import_supplier external_account_number supply_point_identifier outcome status occurred_at received_at effect effect_at',
    because: 'Keys, outcomes and times.',
  },
  import_process: {
    of: 't.id = who.process_id',
    // Hashes are of nobody's use; those of other customers are among them.
    exported: `${payloadOfOne(`, 'phone_numbers', jsonb_build_array(t.phone_numbers -> who.customer)`)} || '{"field_hashes": null}'`,
    erased: {
      payload: 'null',
      phone_numbers: 'null',
      refusal: 'null',
      payload_deleted_at: 'coalesce(t.payload_deleted_at, now())',
      field_hashes: 'null',
      skip_reason: `case when t.skip_reason is not null then ${GONE} end`,
    },
    kept: 'id import_supplier external_account_number payload_hash validated_with revision staged_at updated_at imported_at skipped_at document_root workflow_id counted field_hash_layout_id',
    because: 'Keys, times and the hash of the whole, by which what was accepted is known.',
  },
  import_process_revision: {
    of: 't.import_process_id = who.process_id',
    exported: payloadOfOne(),
    erased: { payload: 'null' },
    kept: 'import_process_id revision payload_hash staged_at',
    because: 'Times and the hash of the whole, by which what was accepted is known.',
  },
  import_job_line: {
    of: LINES_OF_ACCOUNT,
    erased: { errors: faultsWithout('errors'), warnings: faultsWithout('warnings') },
    kept: 'job_id line key claims_key state number errors_omitted warnings_omitted revision',
    because: 'What became of a line, with codes and places.',
  },
  import_job_page: {
    erasedElsewhere: 'body',
    kept: 'upload_id upload_page job_id physical_lines lines number first_line judged_lines is_judged is_done not_before uploaded_at',
    because: WORK,
  },
  import_job_cause: {
    of: `exists (select from import_job_line l join import_job j on j.id = l.job_id
      where l.job_id = t.job_id and l.line = t.example_line and ${hasTheirKey('l')} and j.import_supplier = who.supplier)`,
    erased: {
      example_value: 'null',
      // The name of an unknown member was chosen by the sender. The place is a part of the key.
      place: `case when t.code = 'unknown_member' and t.place not like 'erased %' then 'erased ' || gen_random_uuid() else t.place end`,
    },
    kept: 'job_id code is_warning records alone example_line',
    because: 'Codes and counts.',
  },
  idempotency_key: {
    of: 't.import_supplier = who.supplier and t.external_account_number = who.external',
    erased: {
      status: 'null',
      headers: 'null',
      answer: 'null',
      claim: `'00000000-0000-0000-0000-000000000000'::uuid`,
      claimed_until: `'-infinity'::timestamptz`,
    },
    kept: 'organisation key_hash request_hash once_id import_supplier external_account_number created_at',
    because: 'That a request with this key was answered, and when: keys and hashes.',
  },
  audit_entry: {
    of: `t.subject = any (audit_subjects_of_person(who.supplier, who.external))`,
    erasedElsewhere: 'before after reason',
    kept: 'id at actor_key_id actor_name action subject',
    because: 'Who did what to which account, and when.',
  },
  supply_point: {
    of: 'exists (select from account_supply_point p where p.account_id = who.account_id and p.supply_point_id = t.id)',
    kept: 'id supply_type identifier facts facts_source facts_with_authorisation populated_at created_at',
    because: 'Technical facts of a place, which stay when people move.',
  },
  business: {
    of: SOLE_TRADER('t.id'),
    erasedWhere: IS_LAST,
    erased: { company_name: GONE },
    kept: 'id service_business_id import_supplier external_business_identifier business_type siret siret_as_sent sent_empty created_at',
    because: 'Of a company, not of a person. The SIRET of a sole trader stays on invoices.',
  },
  business_detail: {
    of: SOLE_TRADER('t.business_id'),
    erasedWhere: IS_LAST,
    erased: { value: GONE },
    kept: 'business_id position key',
    because: 'The name that the import supplier has for it.',
  },
  ...tablesOfNobody,
});
