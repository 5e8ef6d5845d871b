import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { WAVES, waveClient } from '../support/waves.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
const client = await waveClient(service);
const { pool } = service.database;
const { token } = client.jobs;

/** Opens a wave with rehearsed accounts. */
async function rehearsedWave(externals: readonly string[], more: object = {}): Promise<string> {
  const wave = await client.open(more);
  await client.stage(wave, externals);
  await client.post(wave, 'rehearse');
  await client.untilGate(wave, 'rehearsed', 'passed');
  return wave;
}

test('a wave is found by its name, and shows its jobs by name', async () => {
  const wave = await client.open({ name: 'Brittany 7' });
  const list = (name: string) => service.call('GET', `${WAVES}?name=${name}`, { token });
  expect((await list('Brittany%207')).body).toMatchObject([{ wave_id: wave, creation_job_id: null }]);
  expect((await list('Brittany')).body).toEqual([]);
  expect((await list('%00')).body.errors).toMatchObject([{ code: 'null_characters_not_allowed', attr: 'name' }]);
  const job = await client.jobs.open({ goal: 'STAGE', wave_id: wave, name: 'accounts.ndjson' });
  expect((await client.see(wave)).jobs).toMatchObject([
    { job_id: job, name: 'accounts.ndjson', selection: 'uploaded', status: 'OPEN', paused_because: null },
  ]);
});

test('a rehearsal that is in progress is not started again', async () => {
  const wave = await client.open();
  await client.stage(wave, ['A-1']);
  await service.stopWorker();
  expect((await client.post(wave, 'rehearse')).status).toBe(200);
  const { rehearsal_job_id: job } = await client.see(wave);
  expect((await client.post(wave, 'rehearse')).status).toBe(200);
  expect((await client.see(wave)).rehearsal_job_id).toBe(job);
  await service.startWorker();
  await client.untilGate(wave, 'rehearsed', 'passed');
});

test('a wave that was resumed after the end of its plan is created to its end', async () => {
  const wave = await rehearsedWave(['B-1', 'B-2'], { plan: { create_until: '2099-01-01T00:00:00Z' } });
  await pool.query(
    "update wave set status = 'PAUSED', paused_because = 'past_create_until', create_until = now() where id = $1",
    [wave],
  );
  expect((await client.post(wave, 'resume')).body.status).toBe('SCHEDULED');
  expect((await client.see(wave)).plan.create_until).toBeNull();
  await until(async () => (await client.see(wave)).status === 'CREATED');
});

test('an account that is added to a created wave is rehearsed and created', async () => {
  const wave = await rehearsedWave(['C-1']);
  await client.post(wave, 'create');
  await until(async () => (await client.see(wave)).status === 'CREATED');
  await client.stage(wave, ['C-2']);
  await client.untilGate(wave, 'rehearsed', 'blocked');
  expect((await client.post(wave, 'create')).body).toMatchObject({ gate: 'rehearsed' });
  expect((await client.post(wave, 'rehearse')).status).toBe(200);
  await client.untilGate(wave, 'rehearsed', 'passed');
  expect((await client.post(wave, 'create')).status).toBe(200);
  await until(async () => (await client.see(wave)).counts.created === 2);
});

test('a failed line of an attachment blocks the wave until a later job imports its record', async () => {
  const wave = await rehearsedWave(['D-1']);
  await client.post(wave, 'create');
  await until(async () => (await client.see(wave)).status === 'CREATED');
  const note = (body: string) => [{ external_account_number: 'D-1', notes: [{ body }] }];
  await client.importLines(wave, 'notes', 'IMPORT', note(''));
  await client.untilGate(wave, 'attached', 'blocked');
  expect((await client.see(wave)).counts.failed_attachments).toBe(1);
  await client.importLines(wave, 'notes', 'IMPORT', note('Moved.'));
  await client.untilGate(wave, 'attached', 'passed');
});
