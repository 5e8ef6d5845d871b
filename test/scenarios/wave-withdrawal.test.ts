import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../support/harness.ts';
import { contentsOfTables } from '../support/table-contents.ts';
import { until } from '../support/until.ts';
import { operatorKey, waveClient } from '../support/waves.ts';
import { OUTSIDE_WITHDRAWAL, withdrawalsOf } from '../support/withdrawals.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
const client = await waveClient(service);
const withdrawals = withdrawalsOf(service);
const [first, second] = [await operatorKey(service, 'first', 'all'), await operatorKey(service, 'second')];

const REASON = { reason: 'The file was of the wrong month.' };
/** Tables of waves and jobs, which keep what happened. */
const KEPT = [
  ...['import_job', 'import_job_line', 'import_job_page', 'import_job_part', 'import_job_cause'],
  ...['wave', 'wave_account', 'wave_approval', 'import_supplier', 'party_health', 'party_minute'],
];
const contents = () => contentsOfTables(service.database, [...OUTSIDE_WITHDRAWAL, ...KEPT]);

async function createdWave(externals: readonly string[]): Promise<{ wave: string; before: Record<string, string[]> }> {
  const wave = await client.open();
  await client.stage(wave, [...externals]);
  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  const before = await contents();
  return { wave, before };
}

async function create(wave: string): Promise<void> {
  expect((await client.post(wave, 'create')).body.status).toBe('SCHEDULED');
  await until(async () => (await client.see(wave)).status === 'CREATED');
}

test('withdraws a wave with what its jobs added, and leaves the tables as they were before the creation', async () => {
  const { wave, before } = await createdWave(['W-1', 'W-2', 'W-3']);
  expect((await client.post(wave, 'withdraw', REASON)).body.code).toBe('wave_status_forbids');
  await create(wave);
  await client.importLines(wave, 'notes', 'IMPORT', [{ external_account_number: 'W-1', notes: [{ body: 'Moved.' }] }]);
  await client.untilGate(wave, 'attached', 'passed');
  expect(await client.post(wave, 'withdraw', { ...REASON, dry_run: true })).toMatchObject({
    status: 200,
    body: { can_be_withdrawn: 3, kept: 0, obstacles: [] },
  });
  const started = await client.post(wave, 'withdraw', REASON);
  expect(await withdrawals.finished(started)).toMatchObject({
    status: 'COMPLETED',
    withdrawn: 3,
    kept: 0,
    wave_id: wave,
  });
  expect((await client.see(wave)).status).toBe('WITHDRAWN');
  expect(await contents()).toEqual(before);
  // The accounts can join another wave.
  const other = await client.open();
  expect((await client.add(other, ['W-1', 'W-2', 'W-3'])).status).toBe(200);
});

test('keeps accounts with data of others, after which the wave can create the withdrawn ones again', async () => {
  const { wave } = await createdWave(['K-1', 'K-2']);
  await create(wave);
  const note = { import_supplier: 'SUPPLIER_FR', external_account_number: 'K-1', notes: [{ body: 'A call.' }] };
  await service.call('POST', '/v1/data-import/notes/create/', { token: client.jobs.token, body: note });
  const ended = await withdrawals.finished(await client.post(wave, 'withdraw', REASON));
  expect(ended).toMatchObject({ withdrawn: 1, kept: 1, obstacles: [{ code: 'notes_added', examples: ['K-1'] }] });
  const list = await service.call('GET', `/v1/data-import/withdrawals/${ended.withdrawal_id}/kept/`, {
    token: client.jobs.token,
  });
  expect(list).toMatchObject({ status: 200, body: [{ external_account_number: 'K-1', obstacles: ['notes_added'] }] });
  expect(await client.see(wave)).toMatchObject({ status: 'CREATED', counts: { created: 1, pending: 1 } });
});

test('needs the approval of a second person if the creation was approved', async () => {
  const { wave } = await createdWave(['P-1']);
  await client.operate(wave, 'request-approval', REASON, first);
  await client.operate(wave, 'approve', REASON, second);
  await create(wave);
  const refused = await client.post(wave, 'withdraw', REASON);
  expect(refused.body).toMatchObject({ code: 'wave_status_forbids', detail: expect.stringContaining('second person') });
  expect((await client.see(wave)).status).toBe('CREATED');
  expect((await client.operate(wave, 'request-withdrawal-approval', REASON, first)).status).toBe(200);
  expect((await client.operate(wave, 'approve', REASON, first)).body.code).toBe('second_person_required');
  expect((await client.operate(wave, 'approve', REASON, second)).status).toBe(200);
  expect(await withdrawals.finished(await client.post(wave, 'withdraw', REASON))).toMatchObject({ withdrawn: 1 });
});
