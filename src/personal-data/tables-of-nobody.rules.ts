import type { CataloguedTable } from './catalogued-table.rules.ts';

const STAFF = 'Staff and keys, no customers.';
const WORK = 'Keys, states and times of work.';
const BUSINESS = 'Of a company, not of a person.';

/** The part of the catalogue that holds nothing of a customer. */
export const tablesOfNobody = {
  import_job: {
    kept: 'id import_supplier organisation api_key_id kind goal selection name operations_team options status paused_because is_canary_passed failures_accepted is_listed accepted judged staged succeeded failed warned window_at window_count earlier_at earlier_count created_at started_at paused_at ended_at parts_deleted_at results_deleted_at',
    because: 'Of many accounts.',
  },
  import_job_part: { kept: 'job_id part upload_id lines bytes sha256 uploaded_at', because: 'Of many accounts.' },
  reconciliation: {
    kept: 'id import_supplier import_job_id organisation status subject position tally listed version created_at ended_at',
    because: 'Of many accounts: counts, sums and sums of hashes.',
  },
  reconciliation_difference: {
    kept: 'reconciliation_id number subject key path kind table_name column_name reason vendor_answer',
    because: 'Keys, places and codes; no values.',
  },
  field_hash_layout: { kept: 'id layout', because: 'Names of fields.' },
  look_up: {
    kept: 'id network_operator identifier customer_authorisation state errored_reason taken_by tries last_failure deferred_at due_at completed_at created_at',
    because: 'Of a place.',
  },
  look_up_page: { kept: 'id network_operator look_up_ids held_by taken_at', because: WORK },
  population_batch: {
    kept: 'id organisation_id customer_category customer_authorisation status warnings created_at ended_at',
    because: 'Of many places.',
  },
  population_batch_import_supplier: { kept: 'batch_id import_supplier', because: 'Of many places.' },
  population_chunk: { kept: 'batch_id network_operator chunk identifiers is_cancelled', because: 'Of many places.' },
  population_operator_progress: {
    kept: 'batch_id network_operator customer_authorisation accepted imported errored served_at window_at window_count earlier_at earlier_count',
    because: 'Counts.',
  },
  population_request: { kept: 'batch_id look_up_id network_operator state errored_reason', because: 'Of a place.' },
  business_contract: {
    kept: 'id business_id import_supplier position identifier valid_from_date signed_at_date sent_empty came_with_business created_at',
    because: BUSINESS,
  },
  contract_version: { kept: 'business_contract_id position applicable_at_date', because: BUSINESS },
  contract_term: { kept: 'business_contract_id version_position position term_type content', because: BUSINESS },
  work_item: {
    kept: 'workflow_id kind input start_at created_at state step_scheduled_at traceparent cause party failure failing_since',
    because: 'Keys and codes only.',
  },
  creation_slot: { kept: 'creation_id import_process_id import_supplier workflow_id taken_at', because: WORK },
  creation_slot_wait: { kept: 'import_supplier since asked_at', because: WORK },
  dispatcher_lease: { kept: 'name fencing_number holder held_since held_until last_swept_at', because: WORK },
  event: {
    kept: 'import_supplier position id organisation type subject data occurred_at',
    because: 'Keys and codes only.',
  },
  event_outbox: {
    kept: 'number id import_supplier organisation type subject data occurred_at',
    because: 'Keys and codes only.',
  },
  event_sequence: { kept: 'name position', because: 'Numbers.' },
  event_deletion: { kept: 'import_supplier position', because: 'Numbers.' },
  event_endpoint: {
    kept: 'id import_supplier organisation url secret old_secret old_secret_until position delivered_at failing_since failure created_at ended_at ended_because',
    because: 'Where the system of an import supplier is told of events.',
  },
  account_count: { kept: 'import_supplier state count', because: 'Counts.' },
  account_count_change: { kept: 'id import_supplier state change changed_at', because: 'Counts.' },
  creation_minute: { kept: 'minute import_supplier created', because: 'Counts.' },
  idempotency_use: { kept: 'organisation day answers bytes', because: 'Counts.' },
  retention: { kept: 'class position deleted deleted_before started_at completed_at', because: 'Counts and a key.' },
  number_mark: {
    kept: 'id account_from account_until business_from business_until incarnation reserved_at',
    because: 'Numbers.',
  },
  party_health: { kept: 'party answered_at failed_at failure rests_until', because: 'Of outside parties.' },
  payment_vendor_rest: { kept: 'vendor ends_at', because: 'Of outside parties.' },
  throttle: {
    kept: 'network_operator requests_per_second requests_per_hour reason blocked_until answered_at updated_at last_slot_at last_taker last_doubt_ms',
    because: 'Of outside parties.',
  },
  setting: { kept: 'name value reason updated_at', because: STAFF },
  import_supplier: {
    kept: 'code name status document_root options options_revision reason created_at updated_at',
    because: STAFF,
  },
  organisation: { kept: 'id name customer_authorisation created_at', because: STAFF },
  operations_team: { kept: 'name created_at', because: STAFF },
  api_key: {
    kept: 'id organisation_id name role scope secret_sha256 secret_start created_at expires_at last_used_at revoked_at',
    because: STAFF,
  },
  api_key_import_supplier: { kept: 'api_key_id import_supplier', because: STAFF },
  access_token: {
    kept: 'sha256 api_key_id kind created_at expires_at revoked_at session_id session_started_at',
    because: STAFF,
  },
  counted_attempt: { kept: 'bucket count ends_at', because: 'Keyed hashes.' },
  person_session: {
    kept: 'sha256 id subject name role api_key_id signed_in_by network csrf_secret flash created_at last_seen_at ends_at',
    because: STAFF,
  },
  mikro_orm_migrations: { kept: 'id name executed_at', because: 'The schema.' },
  applied_sql_file: { kept: 'path sha256 applied_at', because: 'The schema.' },
} satisfies { [table: string]: CataloguedTable };
