import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';
import { IMPORT_JOBS, jobClient } from '../../support/import-jobs.ts';
import { untilJob } from '../../support/run-import-job.ts';

// An erasure removes the lines of a person from jobs that are open or paused, and those jobs continue without them.

const SUPPLIER = 'SUPPLIER_FR';
const service = await startService({ worker: true });
afterAll(() => service.stop());
const client = await jobClient(service);

const account = (external: string, seed: number) =>
  domesticAccount({ import_supplier: SUPPLIER, external_account_number: external }, seed);
const stage = (external: string, seed: number) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    token: client.token,
    body: account(external, seed),
  });
const erase = (external: string) =>
  service.call('POST', '/v1/operations/erasures/', {
    token: service.operatorToken,
    body: { import_supplier: SUPPLIER, external_account_number: external, reason: 'Requested by the person.' },
  });
const preview = (external: string) =>
  service.call('GET', `/v1/operations/erasures/${SUPPLIER}/${external}/`, { token: service.operatorToken });
const processes = async (external: string) => {
  const { rows } = await service.database.pool.query(
    'select count(*)::integer as count from import_process where external_account_number = $1',
    [external],
  );
  return rows[0].count;
};

test('erases a line of an open job, which fails when the job runs', async () => {
  await stage('OPEN-1', 1);
  const jobId = await client.open({ goal: 'STAGE' });
  const lines = [account('OPEN-1', 1), account('OPEN-2', 2)].map((one) => JSON.stringify(one)).join('\n');
  await client.put(jobId, 1, lines);
  expect((await preview('OPEN-1')).status).toBe(200);
  const receipt = await erase('OPEN-1');
  expect(receipt).toMatchObject({ status: 201 });
  expect(receipt.body.tables).toContainEqual({ table: 'import_job_page', rows: 1, columns: ['body'] });
  await client.post(jobId, 'start');
  expect(await untilJob(service.database, jobId)).toMatchObject({ succeeded: 1, failed: 1 });
  expect([await processes('OPEN-1'), await processes('OPEN-2')]).toEqual([0, 1]);
});

test('erases a line that a paused job has staged, and completes the job without it', async () => {
  await service.database.pool.query(`insert into operations_team (name) values ('Migration') on conflict do nothing`);
  for (const [index, external] of ['PAUSED-1', 'PAUSED-2', 'PAUSED-3'].entries()) await stage(external, 20 + index);
  const { body } = await service.call('POST', IMPORT_JOBS, {
    token: client.token,
    body: {
      import_supplier: SUPPLIER,
      kind: 'accounts',
      goal: 'CREATE',
      selection: 'staged',
      operations_team_name: 'Migration',
      options: { canary: 1 },
    },
  });
  await client.post(body.job_id, 'start');
  await untilJob(service.database, body.job_id, ({ pausedBecause }) => pausedBecause === 'canary');
  expect((await preview('PAUSED-3')).status).toBe(200);
  expect((await erase('PAUSED-3')).status).toBe(201);
  await client.post(body.job_id, 'resume');
  const ended = await untilJob(service.database, body.job_id);
  expect(ended).toMatchObject({ failed: 1 });
  expect(await processes('PAUSED-3')).toBe(0);
}, 120_000);
