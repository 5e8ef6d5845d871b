import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount, supplyPoint } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';

/** Accounts of the job; CAUSES_LINES=20000 is the long form. One in fifty has a violation. */
const LINES = Number(process.env['CAUSES_LINES'] ?? 2_000);
const PART_LINES = 1_500;

const POINT = 'supply_addresses.0.supply_points.0';
/** The changed place, its new value, and the only violation of the line: its code, and its place in any record. */
const FAULTS: [place: string, value: unknown, code: string, cause: string][] = [
  ['external_account_number', undefined, 'required', 'external_account_number'],
  ['external_account_number', '  ', 'blank', 'external_account_number'],
  ['external_account_number', 12, 'invalid', 'external_account_number'],
  ['external_account_number', 'a'.repeat(129), 'max_length', 'external_account_number'],
  ['external_account_number', 'a\u0000b', 'null_characters_not_allowed', 'external_account_number'],
  ['import_supplier', 'AUSTRAL', 'invalid_choice', 'import_supplier'],
  ['account_type', 'CASTLE', 'invalid_choice', 'account_type'],
  ['account_type', 'MANAGED', 'managed_accounts_are_not_allowed', 'account_type'],
  ['account_type', 'BUSINESS', 'required', 'business'],
  ['unknown_occupier', 'true', 'invalid', 'unknown_occupier'],
  ['unknown_occupier', true, 'customer_with_unknown_occupier', 'customers'],
  ['billing_address1', 'é'.repeat(513), 'max_length', 'billing_address1'],
  ['last_billed_to_date', '2023-02-29', 'invalid', 'last_billed_to_date'],
  ['customers', undefined, 'required', 'customers'],
  ['customers', [], 'empty', 'customers'],
  ['customers', {}, 'not_a_list', 'customers'],
  ['customers.1', [], 'invalid', 'customers.*.non_field_errors'],
  ['customers.1', null, 'null', 'customers.*'],
  ['customers.1.given_name', undefined, 'customer_given_name_required', 'customers.*.given_name'],
  ['customers.1.family_name', ' ', 'customer_family_name_required', 'customers.*.family_name'],
  ['customers.0.title', 'x'.repeat(21), 'max_length', 'customers.*.title'],
  ['customers.0.email', 'nobody', 'invalid', 'customers.*.email'],
  ['customers.0.mobile', '+3361234567', 'invalid_phone_number', 'customers.*.mobile'],
  ['customers.0.landline', 'call me', 'invalid_phone_number', 'customers.*.landline'],
  ['customers.0.date_of_birth', '2099-11-22', 'date_in_future', 'customers.*.date_of_birth'],
  ['customers.0.customer_preferences.opted_into_sms', 1, 'invalid', 'customers.*.customer_preferences.opted_into_sms'],
  [
    'supply_addresses.0.customer_at_supply_address_from_date',
    '',
    'blank',
    'supply_addresses.*.customer_at_supply_address_from_date',
  ],
  [`${POINT}.supply_type`, 'STEAM', 'invalid_choice', 'supply_addresses.*.supply_points.*.supply_type'],
  [`${POINT}.billing_frequency`, 0, 'min_value', 'supply_addresses.*.supply_points.*.billing_frequency'],
  [`${POINT}.billing_frequency`, 13, 'max_value', 'supply_addresses.*.supply_points.*.billing_frequency'],
  [
    `${POINT}.agreements.0.effective_to`,
    '2022-09-30',
    'start_date_later_than_end_date',
    'supply_addresses.*.supply_points.*.agreements.*.effective_to',
  ],
  [
    `${POINT}.agreements.0.effective_to`,
    '2022-10-01',
    'start_date_same_as_end_date',
    'supply_addresses.*.supply_points.*.agreements.*.effective_to',
  ],
  [
    `${POINT}.agreements.0.effective_to`,
    '2023-10-02',
    'gaps_or_overlaps_in_agreement_dates',
    'supply_addresses.*.supply_points.*.agreements.*.effective_from',
  ],
  [
    'supply_addresses.0.supply_points.2',
    supplyPoint('GAS', 999_999),
    'duplicate_meter_points_on_different_supply_addresses_provided',
    'supply_addresses.*.supply_points.*.identifier',
  ],
];

const service = await startService({ worker: true });
afterAll(() => service.stop());
// New sessions plan each statement once from here on, while the tables are empty: long-lived sessions end up with
// the same plans.
const { pool } = service.database;
const { rows } = await pool.query('select current_database() as name');
await pool.query(`alter database "${rows[0].name}" set plan_cache_mode = force_generic_plan`);
await pool.query(
  'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
  [rows[0].name],
);
await until(() => service.gateway.isReady());
const token = await service.supplierToken(['SUPPLIER_FR']);

/** An account with the value at a dotted path replaced or removed. */
function broken(sequence: number, [place, value]: (typeof FAULTS)[number]): object {
  const account = structuredClone(domesticAccount({ import_supplier: 'SUPPLIER_FR' }, sequence)) as never;
  const segments = place.split('.');
  const last = segments.pop()!;
  const holder = segments.reduce<Record<string, unknown>>(
    (node, segment) => node[segment] as Record<string, unknown>,
    account,
  );
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return account;
}

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await service.call(method, `/v1/data-import/import-jobs/${path}`, { token, body, headers });
  expect({ path, status: answer.status < 300, body: answer.body }).toMatchObject({ status: true });
  return answer.body;
}

test('reports each cause of a job with more than thirty kinds of violations with its records, and creates all others', async () => {
  const expected = new Map<string, number>();
  const lines = Array.from({ length: LINES }, (_, index) => {
    if (index % 50 !== 7) return JSON.stringify(domesticAccount({ import_supplier: 'SUPPLIER_FR' }, index + 1));
    const fault = FAULTS[Math.floor(index / 50) % FAULTS.length]!;
    const cause = `${fault[2]} ${fault[3]}`;
    expected.set(cause, (expected.get(cause) ?? 0) + 1);
    // The third point of this one repeats the second one's.
    const isTwice = fault[2].startsWith('duplicate_meter');
    return JSON.stringify(
      broken(index + 1, isTwice ? [fault[0], supplyPoint('GAS', index + 1), fault[2], fault[3]] : fault),
    );
  });
  expect(expected.size).toBeGreaterThanOrEqual(30);

  const { job_id: jobId } = await call('POST', '', {
    import_supplier: 'SUPPLIER_FR',
    kind: 'accounts',
    goal: 'CREATE',
    operations_team_name: 'Migration',
  });
  for (let from = 0; from < LINES; from += PART_LINES) {
    const part = gzipSync(lines.slice(from, from + PART_LINES).join('\r\n'));
    await call('PUT', `${jobId}/parts/${from / PART_LINES + 1}/`, part, {
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    });
  }
  await call('POST', `${jobId}/start/`);
  let job: any;
  await until(async () => {
    job = await call('GET', `${jobId}/`);
    return job.status === 'COMPLETED';
  }, 200);
  const failed = [...expected.values()].reduce((sum, records) => sum + records, 0);
  expect(job.counts).toEqual({ accepted: LINES, succeeded: LINES - failed, failed, unprocessed: 0 });
  expect(job.steps).toEqual({ judged: LINES, staged: LINES - failed, created: LINES - failed });

  const { causes } = await call('GET', `${jobId}/causes/`);
  const blocking = causes.filter(({ is_warning: isWarning }: any) => !isWarning);
  expect(new Map(blocking.map(({ code, place, alone }: any) => [`${code} ${place}`, alone]))).toEqual(expected);
  for (const { records, alone, example, remedy } of blocking) {
    expect(records).toBe(alone);
    expect((example.line - 8) % 50).toBe(0);
    expect(remedy).toEqual(expect.any(String));
  }
  const { rows } = await service.database.pool.query('select count(*)::integer as accounts from account');
  expect(rows).toEqual([{ accounts: LINES - failed }]);

  // Each page reads its own lines several times (13 now), and not those of all others (21 if one statement does).
  const { rows: read } = await service.database.pool.query(
    `with partitions as (select inhrelid as oid from pg_inherits where inhparent = 'import_job_line'::regclass)
      select sum(pg_stat_get_tuples_returned(oid))::integer as lines from pg_class
      where oid in (table partitions) or oid in (select indexrelid from pg_index where indrelid in (table partitions))`,
  );
  expect(read[0].lines).toBeGreaterThan(LINES);
  expect(read[0].lines / LINES).toBeLessThan(17);
}, 300_000);
