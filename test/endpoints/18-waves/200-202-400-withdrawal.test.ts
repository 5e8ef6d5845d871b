import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { waveClient } from '../../support/waves.ts';

// No worker runs: the tests check what is requested. test/scenarios/wave-withdrawal.test.ts withdraws.

const service = await startService();
afterAll(() => service.stop());
const client = await waveClient(service);
const { pool } = service.database;
const REASON = { reason: 'Wrong month.' };

test('previews and starts the withdrawal of a created wave, and rejects that of one that is prepared', async () => {
  const wave = await client.open();
  for (const verb of ['withdraw', 'request-withdrawal-approval']) {
    expect((await client.operate(wave, verb, REASON)).body.code).toBe('wave_status_forbids');
  }
  await pool.query("update wave set status = 'CREATED' where id = $1", [wave]);
  expect(await client.operate(wave, 'withdraw', { ...REASON, dry_run: true })).toMatchObject({
    status: 200,
    body: { can_be_withdrawn: 0, kept: 0, obstacles: [] },
  });
  expect((await client.see(wave)).status).toBe('CREATED');
  const started = await client.operate(wave, 'withdraw', REASON);
  expect(started).toMatchObject({ status: 202, body: { withdrawal_id: expect.any(String) } });
  expect((await client.see(wave)).status).toBe('WITHDRAWING');
  const { rows } = await pool.query("select kind from work_item where workflow_id = 'withdraw/' || $1", [
    started.body.withdrawal_id,
  ]);
  expect(rows).toEqual([{ kind: 'withdraw' }]);
});

test('previews the withdrawal of a job', async () => {
  const jobId = await client.jobs.open({ goal: 'CREATE', operations_team_name: 'Migration' });
  await pool.query("update import_job set status = 'COMPLETED', started_at = now(), ended_at = now() where id = $1", [
    jobId,
  ]);
  const preview = await service.call('POST', `/v1/data-import/import-jobs/${jobId}/withdraw/`, {
    token: client.jobs.token,
    body: { ...REASON, dry_run: true },
  });
  expect(preview).toMatchObject({ status: 200, body: { can_be_withdrawn: 0, kept: 0 } });
});
