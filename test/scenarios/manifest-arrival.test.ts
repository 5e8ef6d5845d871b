import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { recordOf, runningTotals } from '../../src/manifest/index.ts';
import type { ImportJobKind } from '../../src/vocabulary/import-jobs.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { startService } from '../support/harness.ts';
import { IMPORT_JOBS, OPERATORS_IMPORT_JOBS } from '../support/import-jobs.ts';
import { until } from '../support/until.ts';
import { waveAccount, waveClient } from '../support/waves.ts';

// A manifest is compared with the records that arrive before anything is created.

const service = await startService({ worker: true });
afterAll(() => service.stop());
const client = await waveClient(service);
const { jobs } = client;
const { token } = jobs;
const REASON = { reason: 'The source counted two test customers.' };

/** The manifest of records, as the source counts them. */
function manifestOf(...of: [ImportJobKind, readonly object[]][]): object {
  const totals = runningTotals();
  for (const [kind, records] of of) for (const record of records) totals.add(kind, recordOf(kind, record));
  return { type: 'gangway-manifest/1', import_supplier: 'SUPPLIER_FR', kinds: totals.kinds() };
}

const accounts = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => waveAccount(`${prefix}-${index + 1}`));

async function start(job: object, records: readonly object[]): Promise<string> {
  const jobId = await jobs.open({ operations_team_name: 'Migration', ...job });
  await jobs.put(jobId, 1, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  expect(await jobs.post(jobId, 'start')).toMatchObject({ status: 200 });
  return jobId;
}
const see = async (jobId: string) => (await service.call('GET', `${IMPORT_JOBS}${jobId}/`, { token })).body;
async function untilSettled(jobId: string) {
  await until(async () => ['COMPLETED', 'PAUSED'].includes((await see(jobId)).status));
  return see(jobId);
}
const operate = (jobId: string, verb: string, body: object) =>
  service.call('POST', `${OPERATORS_IMPORT_JOBS}${jobId}/${verb}/`, { token: service.operatorToken, body });
async function count(table: string, prefix: string): Promise<number> {
  const { rows } = await service.database.pool.query(
    `select count(*)::integer as n from ${table} where external_account_number like $1`,
    [`${prefix}-%`],
  );
  return rows[0].n;
}

test('creates the accounts of a job whose records agree with its manifest', async () => {
  const records = accounts('AGREES', 5);
  const jobId = await start({ goal: 'CREATE', manifest: manifestOf(['accounts', records]) }, records);
  const job = await untilSettled(jobId);
  expect(job).toMatchObject({ status: 'COMPLETED', manifest: { state: 'agrees', differences: [] } });
  expect(await count('account', 'AGREES')).toBe(5);
  expect(await operate(jobId, 'accept-differences', REASON)).toMatchObject({
    status: 400,
    body: { code: 'manifest_not_compared' },
  });
});

const swapped = accounts('SWAPPED-OTHER', 4);
const faults: [fault: string, prefix: string, sent: (records: any[]) => any[], differences: object[]][] = [
  [
    'a dropped line',
    'DROPPED',
    (records) => records.slice(1),
    [{ path: 'accounts.records', expected: '4', received: '3', difference: '-1' }],
  ],
  [
    'a doubled line',
    'DOUBLED',
    (records) => [...records, records[0]],
    [{ path: 'accounts.records', expected: '4', received: '5', difference: '1' }],
  ],
  [
    'a cent',
    'CENT',
    ([first, ...others]) => {
      const changed = structuredClone(first);
      const schedule = changed.supply_addresses[0].supply_points[0].payment_schedules[0];
      schedule.amount = Number((Number(schedule.amount) + 0.01).toFixed(2));
      return [changed, ...others];
    },
    [{ path: 'accounts.payment_schedules.sum', difference: '0.01' }],
  ],
  [
    'a swapped file',
    'SWAPPED',
    () => swapped,
    [{ path: 'accounts.digests.external_account_number', difference: null }],
  ],
];
for (const [fault, prefix, sent, differences] of faults) {
  test(`creates nothing after ${fault}`, async () => {
    const records = accounts(prefix, 4);
    const jobId = await start({ goal: 'CREATE', manifest: manifestOf(['accounts', records]) }, sent(records));
    const job = await untilSettled(jobId);
    expect(job).toMatchObject({
      status: 'PAUSED',
      paused_because: 'manifest_mismatch',
      manifest: { state: 'differs' },
    });
    expect(job.manifest.differences).toEqual(
      expect.arrayContaining(differences.map((difference) => expect.objectContaining(difference))),
    );
    expect(await count('account', prefix)).toBe(0);
    for (const resumed of [await jobs.post(jobId, 'resume'), await operate(jobId, 'resume', REASON)]) {
      expect(resumed).toMatchObject({ status: 400, body: { code: 'manifest_differs' } });
    }
    expect(await count('account', prefix)).toBe(0);
  });
}

test('creates the accounts after an operator has accepted the differences, and certifies them', async () => {
  const records = accounts('ACCEPTED', 4);
  const jobId = await start({ goal: 'CREATE', manifest: manifestOf(['accounts', records]) }, records.slice(1));
  const { manifest } = await untilSettled(jobId);
  expect(await operate(jobId, 'accept-differences', {})).toMatchObject({ status: 400 });
  expect(await operate(jobId, 'accept-differences', REASON)).toMatchObject({
    status: 200,
    body: { status: 'RUNNING' },
  });
  await until(async () => (await see(jobId)).status === 'COMPLETED');
  expect((await see(jobId)).manifest).toMatchObject({
    state: 'accepted',
    differences: manifest.differences,
    accepted_reason: REASON.reason,
  });
  expect(await count('account', 'ACCEPTED')).toBe(3);
  expect(await operate(jobId, 'accept-differences', REASON)).toMatchObject({ status: 200 });
  const { rows } = await service.database.pool.query(
    `select after, reason from audit_entry where action = 'import_job.differences_accepted' and subject = $1 limit 1`,
    [`import-jobs/${jobId}`],
  );
  expect(rows).toMatchObject([{ after: { manifest_sha256: manifest.sha256 }, reason: REASON.reason }]);
  const { body } = await service.call('POST', '/v1/data-import/reconciliations/', { token, body: { job_id: jobId } });
  const at = `/v1/data-import/reconciliations/${body.reconciliation_id}/`;
  await until(async () => (await service.call('GET', at, { token })).body.status === 'COMPLETED');
  const { certificate } = (await service.call('GET', `${at}certificate/`, { token })).body;
  expect(certificate.manifests).toMatchObject([
    { job_id: jobId, sha256: manifest.sha256, agrees: false, accepted_reason: REASON.reason },
  ]);
  expect(certificate.manifests[0].differences).toEqual(
    manifest.differences.map((difference: object) => ({ ...difference, is_accepted: true })),
  );
});

test('pauses an import before its first record, and reports other goals without a pause', async () => {
  await createAccounts(service.database, 'SUPPLIER_FR', accounts('LEDGER', 3));
  const records = [1, 2, 3].map((index) => ({
    external_account_number: `LEDGER-${index}`,
    transactions: [
      { transaction_id: `T${index}`, transaction_date: '2026-10-05', amount: '10.10', type: 'CHARGE', reason: 'R' },
    ],
  }));
  const manifest = manifestOf(['transactions', records]);
  const cent = structuredClone(records);
  cent[2]!.transactions[0]!.amount = '10.11';
  const paused = await start({ kind: 'transactions', goal: 'IMPORT', manifest }, cent);
  expect(await untilSettled(paused)).toMatchObject({
    status: 'PAUSED',
    paused_because: 'manifest_mismatch',
    counts: { succeeded: 0 },
  });
  expect((await see(paused)).manifest.differences).toContainEqual({
    path: 'transactions.by_type.CHARGE.sum',
    expected: '30.30',
    received: '30.31',
    difference: '0.01',
  });
  const validated = await start({ kind: 'transactions', goal: 'VALIDATE', manifest }, cent);
  expect(await untilSettled(validated)).toMatchObject({ status: 'COMPLETED', manifest: { state: 'differs' } });
  const imported = await start({ kind: 'transactions', goal: 'IMPORT', manifest }, records);
  expect(await untilSettled(imported)).toMatchObject({ status: 'COMPLETED', manifest: { state: 'agrees' } });
});

test('validates all lines before the canary of a job with a manifest', async () => {
  const records = accounts('CANARY', 6);
  const job = { goal: 'CREATE', options: { canary: 2 }, manifest: manifestOf(['accounts', records]) };
  const jobId = await start(job, records);
  expect(await untilSettled(jobId)).toMatchObject({ paused_because: 'canary', steps: { judged: 6, created: 2 } });
  await jobs.post(jobId, 'resume');
  await until(async () => (await see(jobId)).status === 'COMPLETED');
  expect(await count('account', 'CANARY')).toBe(6);
});

test('blocks the gate of a wave until the records of all its jobs agree, and counts a corrected account once', async () => {
  const waveId = await client.open();
  const records = accounts('WAVE', 4);
  const put = (body: object) => service.call('PUT', `/v1/data-import/waves/${waveId}/manifest/`, { token, body });
  expect(await put(manifestOf(['accounts', records]))).toMatchObject({ status: 200 });
  const wrong = structuredClone(records[0]!) as any;
  wrong.customers[0].family_name = 'Wrong';
  await client.importLines(waveId, 'accounts', 'STAGE', [wrong, records[1]!]);
  await client.untilGate(waveId, 'complete', 'blocked');
  const { manifest, gates } = await client.see(waveId);
  expect(manifest.differences).toContainEqual({
    path: 'accounts.records',
    expected: '4',
    received: '2',
    difference: '-2',
  });
  expect(gates[0].evidence).toContain('is 2 instead of 4 (-2)');
  expect(await client.post(waveId, 'rehearse')).toMatchObject({ body: { code: 'wave_gate_not_passed' } });
  await client.importLines(waveId, 'accounts', 'STAGE', [records[0]!, ...records.slice(2)]);
  await client.untilGate(waveId, 'complete', 'passed');
  expect((await client.see(waveId)).manifest).toMatchObject({ state: 'agrees', differences: [] });
});

// A doubled line of a wave is a correction of the same account.
for (const [fault, prefix, sent, differences] of faults.filter(([fault]) => fault !== 'a doubled line')) {
  test(`blocks the gate of a wave after ${fault}`, async () => {
    const waveId = await client.open();
    const records = accounts(`${prefix}-IN-WAVE`, 4);
    const body = manifestOf(['accounts', records]);
    await service.call('PUT', `/v1/data-import/waves/${waveId}/manifest/`, { token, body });
    await client.importLines(waveId, 'accounts', 'STAGE', sent(records));
    await client.untilGate(waveId, 'complete', 'blocked');
    expect((await client.see(waveId)).manifest.differences).toEqual(
      expect.arrayContaining(differences.map((difference) => expect.objectContaining(difference))),
    );
    expect(await client.post(waveId, 'rehearse')).toMatchObject({ body: { code: 'wave_gate_not_passed' } });
    expect(await client.post(waveId, 'create')).toMatchObject({ body: { code: 'wave_gate_not_passed' } });
  });
}

test('lets a wave pass with differences that an operator accepted, and rejects a manifest after a job was started', async () => {
  const waveId = await client.open();
  const records = accounts('PASSED', 2);
  const put = (id: string) =>
    service.call('PUT', `/v1/data-import/waves/${id}/manifest/`, {
      token,
      body: manifestOf(['accounts', [...records, waveAccount('PASSED-9')]]),
    });
  await put(waveId);
  expect(await client.operate(waveId, 'accept-differences', REASON)).toMatchObject({
    body: { code: 'manifest_not_compared' },
  });
  await client.importLines(waveId, 'accounts', 'STAGE', records);
  await client.untilGate(waveId, 'complete', 'blocked');
  expect(await client.operate(waveId, 'accept-differences', REASON)).toMatchObject({ status: 200 });
  await client.untilGate(waveId, 'complete', 'passed');
  const other = await client.open();
  await client.stage(other, ['LATE-1']);
  expect(await put(other)).toMatchObject({ status: 400, body: { code: 'manifest_too_late' } });
  const signedOff = await client.open();
  await service.database.pool.query(`update wave set status = 'SIGNED_OFF', signed_off_by = 'Ada' where id = $1`, [
    signedOff,
  ]);
  expect(await put(signedOff)).toMatchObject({ status: 400, body: { code: 'wave_status_forbids' } });
  expect(await put(randomUUID())).toMatchObject({ status: 404, body: { code: 'wave_not_found' } });
});
