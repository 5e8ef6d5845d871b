import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { IMPORT_JOBS, jobClient, someLines, UNKNOWN_JOB } from '../../support/import-jobs.ts';

const service = await startService();
afterAll(() => service.stop());

test('opens and stores nothing without a token', async () => {
  const body = { import_supplier: 'SUPPLIER_FR', kind: 'accounts', goal: 'VALIDATE' };
  const refused = { status: 401, body: { code: 'not_authenticated' } };
  expect(await service.call('POST', IMPORT_JOBS, { body })).toMatchObject(refused);
  const client = await jobClient(service);
  const jobId = await client.open();
  const headers = { 'content-type': 'application/x-ndjson' };
  expect(await service.call('PUT', `${IMPORT_JOBS}${jobId}/parts/1/`, { body: someLines(3), headers })).toMatchObject(
    refused,
  );
  expect(await service.call('GET', `${IMPORT_JOBS}${UNKNOWN_JOB}/`)).toMatchObject(refused);
  expect((await service.database.pool.query('select id from import_job')).rows).toEqual([{ id: jobId }]);
  expect((await service.database.pool.query('select 1 from import_job_page')).rows).toEqual([]);
});
