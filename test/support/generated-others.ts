import { emptyTally } from '../../src/reconciliation/tally.rules.ts';
import { idOf } from './generated-ids.ts';

type Steps = readonly (readonly [step: string, statement: string])[];

const BATCH_POINTS = 100_000;
const BATCH = (n: string) => idOf(`date_trunc('day', now()) - interval '1 hour' * (${n})`, 5, n);
/** $1 identifiers: `2<n>` at Enedis, and every fifth one `GI<n>` at GRDF. */
const OPERATOR = `case n % 5 when 0 then 'grdf' else 'enedis' end`;
const STATE = `case when n % 100 = 3 then 'pending' when n % 100 = 4 then 'deferred' when n % 20 = 7 then 'errored' else 'imported' end`;
const REASON = `case when n % 100 not in (3, 4) and n % 20 = 7 then 'unknown_supply_point' end`;
const POINTS = 'from generate_series(1, $1::integer) n';
const BATCHES = `from generate_series(1, greatest(2000, $1::integer / ${BATCH_POINTS})) n`;

/** Lookups, in batches. */
export const LOOKUPS: Steps = [
  [
    'look_up',
    `insert into look_up (network_operator, identifier, customer_authorisation, state, errored_reason, tries, deferred_at, due_at, completed_at)
     select ${OPERATOR}, case n % 5 when 0 then 'GI' || n else '2' || lpad(n::text, 13, '0') end, false, ${STATE}, ${REASON}, n % 3,
       case when n % 100 = 4 then now() end, case when n % 100 in (3, 4) then now() + interval '10 days' end, case when n % 100 not in (3, 4) then now() end ${POINTS}`,
  ],
  [
    'population_batch',
    `insert into population_batch (id, organisation_id, customer_category, customer_authorisation, status, warnings, created_at, ended_at)
     select ${BATCH('n')}, (select id from organisation limit 1), 'Domestic', false, case when n % 50 = 1 then 'IN_PROGRESS' when n % 50 = 2 then 'CANCELLED' else 'COMPLETED' end,
       '{}', now() - interval '1 hour' * n, case when n % 50 <> 1 then now() end ${BATCHES}`,
  ],
  [
    'population_batch_import_supplier',
    `insert into population_batch_import_supplier (batch_id, import_supplier) select ${BATCH('n')}, 'MANY_' || n % 4 ${BATCHES}`,
  ],
  [
    'population_operator_progress',
    `insert into population_operator_progress (batch_id, network_operator, customer_authorisation, accepted, imported, errored)
     select ${BATCH('n')}, o, false, 100, case when n % 50 = 1 then 50 else 90 end, 10 ${BATCHES}, unnest(array['enedis', 'grdf']) o`,
  ],
  [
    'population_request',
    `insert into population_request (batch_id, network_operator, look_up_id, state, errored_reason)
     select ${BATCH(`1 + n / ${BATCH_POINTS}`)}, ${OPERATOR}, n, ${STATE}, ${REASON} ${POINTS}`,
  ],
];

const JOB = (n: string) => idOf(`date_trunc('day', now()) - interval '1 hour' * (${n})`, 4, n);

const WAVES = 50;
const WAVE = (n: string) => idOf(`date_trunc('day', now()) - interval '1 hour' * (${n})`, 9, n);

/** Waves that all accounts belong to, jobs, messages and an audit; $1 is the number of accounts. */
export const OTHERS: Steps = [
  [
    'import_job',
    `insert into import_job (id, import_supplier, organisation, api_key_id, kind, goal, selection, status, paused_because, accepted, judged, staged, succeeded,
       failed, created_at, started_at, ended_at)
     select ${JOB('n')}, 'MANY_' || n % 4, 'Many', gen_random_uuid(), 'accounts', 'CREATE', 'uploaded', case when n = 2 then 'PAUSED' when n % 20 = 3 then 'CANCELLED' else 'COMPLETED' end,
       case when n = 2 then 'canary' end, $1 / 10, $1 / 10, $1 / 10, $1 / 20, $1 / 20, now() - interval '1 hour' * n, now() - interval '1 hour' * n,
       case when n <> 2 then now() - interval '1 hour' * n + interval '20 minutes' end
     from generate_series(1, 2000) n`,
  ],
  [
    'wave',
    `insert into wave (id, import_supplier, organisation, api_key_id, name, operations_team, create_from, create_until, status, paused_because, creation_job_id, ended_at)
     select ${WAVE('n')}, 'MANY_' || n % 4, 'Many', gen_random_uuid(), 'Wave ' || n, (select name from operations_team limit 1), now() + n * interval '1 day', now() + n * interval '1 day' + interval '8 hours',
       case when n % 10 = 3 then 'PAUSED' when n % 10 = 4 then 'CANCELLED' when n % 2 = 0 then 'CREATED' else 'PREPARING' end, case when n % 10 = 3 then 'asked' end, ${JOB('100 + n')}, case when n % 10 = 4 then now() end
     from generate_series(1, ${WAVES}) n`,
  ],
  ['jobs of waves', `update import_job j set wave_id = w.id from wave w where j.id = w.creation_job_id`],
  [
    'wave_account',
    `insert into wave_account (import_process_id, wave_id, added_at, rehearsed_revision)
     select process_id, ${WAVE(`1 + (n - 1) * ${WAVES} / $1`)}, staged_at, 1 from copy`,
  ],
  [
    'wave_approval',
    `insert into wave_approval (id, wave_id, purpose, requested_by, requested_by_id, request_reason, content_hash, members, planned, plan_revision)
     select gen_random_uuid(), id, 'creation', 'Ada', 'ada', 'Rehearsed.', sha256('none'), 1, '{"plan": {"create_from": null, "create_until": null, "supply_start_from": null, "supply_start_to": null, "expected_accounts": null}, "options": {}}', 1 from wave where status = 'PREPARING'`,
  ],
  [
    'import_job_line',
    `insert into import_job_line (job_id, line, key, claims_key, state, number, errors)
     select ${JOB('1 + n % 10')}, n / 10, 'MANY-' || n, n % 10 = 1, case when n % 100 < 50 then 'succeeded' else 'failed' end, case when n % 100 < 50 then 'B-' || n end,
       case when n % 100 >= 50 then '[{"code": "invalid_siret", "attr": "business.siret", "detail": "No SIRET."}]'::jsonb end from generate_series(1, $1) n`,
  ],
  [
    'import_job_page',
    `insert into import_job_page (upload_id, upload_page, job_id, physical_lines, lines, number, first_line, judged_lines, is_judged, is_done)
     select md5('upload' || j)::uuid, n, ${JOB('j')}, 250, 250, n, n * 250 + 1, 250, true, true from generate_series(1, 10) j, generate_series(0, $1 / 2500) n`,
  ],
  [
    'import_job_cause',
    `insert into import_job_cause (job_id, code, place, is_warning, records, alone, example_line)
     select ${JOB('j')}, 'invalid_siret', 'business.field' || n, n % 5 = 0, 1000 - n, 500, 1 from generate_series(1, 200) j, generate_series(1, 40) n`,
  ],
  [
    'market_message',
    `insert into market_message (message_id, source, import_supplier, external_account_number, outcome, occurred_at, received_at, effect, effect_at)
     select 'many-' || n, 'message', 'MANY_' || n % 4, 'MANY-' || n, 'ACCEPTED', now() - interval '1 minute' * n, now() - interval '1 minute' * n,
       case when n % 100 = 1 then 'fits-nothing' when n % 100 = 2 then 'unknown-account' else 'moved' end, now() from generate_series(1, $1) n`,
  ],
  [
    'work_item',
    `insert into work_item (workflow_id, kind, input, start_at)
     select 'switch-supplier/B-' || n, 'switch-supplier', jsonb_build_object('accountNumber', 'B-' || n, 'importSupplier', 'MANY_' || n % 4, 'externalAccountNumber', 'MANY-' || n),
       now() + interval '20 days' from generate_series(7, $1, 10) n`,
  ],
  [
    'work_item',
    `insert into work_item (workflow_id, kind, input, start_at, cause, party, failure, failing_since)
     select 'verify-instruction/B-' || n, 'verify-payment-instruction', jsonb_build_object('importSupplier', 'MANY_' || n % 4, 'externalAccountNumber', 'MANY-' || n),
       now() + interval '20 days', 'vendor_unavailable', 'STRIPE', 'Stripe did not answer.', now() - n * interval '1 minute' from generate_series(1, 200) n where $1 > 0`,
  ],
  [
    'audit_entry',
    `insert into audit_entry (id, at, actor_name, action, subject)
     select ${idOf(`now() - n * interval '1 second'`, 6, 'n')}, now() - n * interval '1 second', 'Ada ' || n % 7, (array['account.read', 'note.pinned', 'stuck.retried'])[1 + n % 3],
       'accounts/MANY_' || n % 4 || '/MANY-' || n from generate_series(1, $1) n`,
  ],
  [
    'receipts of erasures',
    `insert into audit_entry (id, at, actor_name, action, subject, after, reason)
     select ${idOf(`now() - n * interval '1 minute'`, 7, 'n')}, now() - n * interval '1 minute', 'Ada', 'person.erased', 'accounts/MANY_2/MANY-' || n,
       jsonb_build_object('erasure_id', gen_random_uuid(), 'import_supplier', 'MANY_2', 'external_account_number', 'MANY-' || n, 'customer', null,
         'erased_at', now(), 'tables', '[]'::jsonb, 'sha256', 'none'), 'asked for' from generate_series(1, 6000) n`,
  ],
  [
    'event',
    `insert into event (import_supplier, position, id, type, subject, data, occurred_at)
     select case n % 10 when 0 then 'MANY_1' else 'MANY_2' end, n, gen_random_uuid(), 'import.account.created.v1', 'accounts/MANY-' || n / 2, jsonb_build_object('external_account_number', 'MANY-' || n / 2),
       now() - interval '20 days' + n * interval '1 millisecond' from generate_series(1, 2 * $1) n`,
  ],
  [
    'event_endpoint',
    `insert into event_endpoint (id, import_supplier, url, secret, position, failing_since, failure)
     select gen_random_uuid(), 'MANY_' || n % 4, 'https://many.example/' || n, 'none', 0, now(), 'answered 500' from generate_series(1, 20) n`,
  ],
  [
    'reconciliation',
    `insert into reconciliation (id, import_supplier, status, tally, listed, version, created_at, ended_at)
     select ${idOf(`now() - n * interval '1 hour'`, 8, 'n')}, 'MANY_' || n % 4, 'COMPLETED', '${JSON.stringify(emptyTally())}', case n when 1 then 20000 else 0 end, 'none',
       now() - n * interval '1 hour', now() from generate_series(1, 6000) n`,
  ],
  [
    'bulk_action',
    `insert into bulk_action (id, action, filter, parameters, requested_by, reason, status, matched, ended_at)
     select gen_random_uuid(), 'retry', '{}', '{}', 'Ada', 'The vendor has recovered.', 'COMPLETED', 0, now() from generate_series(1, 2000) n`,
  ],
  [
    'bulk_action_item',
    `insert into bulk_action_item (bulk_action_id, position, item, outcome)
     select (select id from bulk_action order by id desc limit 1), n, 'item-' || n, 'done' from generate_series(1, 20000) n`,
  ],
  [
    'withdrawal',
    `insert into withdrawal (id, import_supplier, external_account_number, requested_by, is_by_operator, reason, status, ended_at)
     select gen_random_uuid(), 'MANY_1', 'GONE-' || n, 'Ada', true, 'Wrong file.', 'COMPLETED', now() from generate_series(1, 2000) n`,
  ],
  [
    'reconciliation_difference',
    `insert into reconciliation_difference (reconciliation_id, number, subject, key, path, kind, table_name, column_name)
     select (select id from reconciliation order by id desc limit 1), n, 'account', 'MANY-' || n, 'customers.' || n % 3 || '.email', 'changed', 'customer', 'email' from generate_series(1, 20000) n`,
  ],
];
