import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { putJob, startJob, untilJob } from '../support/run-import-job.ts';
import { until } from '../support/until.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());

const LINES = 400;
const count = async (text: string, jobId: string) =>
  Number((await service.database.pool.query(text, [jobId])).rows[0].n as number);
/** Existing accounts of a job's lines, by their keys. */
const STAGED = `select count(*)::integer as n from import_process p join import_job_line l on l.key = p.external_account_number where l.job_id = $1`;
const CREATED = `select count(*)::integer as n from account a join import_job_line l on l.key = a.external_account_number where l.job_id = $1`;

test.each([
  ['judging', { goal: 'STAGE' as const }, ({ judged }: { judged: number }) => judged > 0 && judged < LINES],
  ['creating', { goal: 'CREATE' as const }, ({ succeeded }: { succeeded: number }) => succeeded > 0],
])('cancels a job that is %s: keeps and counts what was done, and does nothing more', async (name, job, isAtIt) => {
  const lines = Array.from({ length: LINES }, (_, index) => ({
    ...domesticAccount({ import_supplier: 'SUPPLIER_FR' }, index + (name === 'judging' ? 0 : LINES)),
    external_account_number: `CANCEL-${name}-${index}`,
  }));
  const jobId = await putJob(service.database, { ...job, lines, linesOfPage: 20, options: { max_per_second: 100 } });
  await startJob(service.gateway, jobId);
  await untilJob(service.database, jobId, isAtIt);
  const answer = await service.call('POST', `/v1/operations/import-jobs/${jobId}/cancel/`, {
    token: service.operatorToken,
    body: { reason: 'The wrong file.' },
  });
  expect(answer.body).toMatchObject({ status: 'CANCELLED' });
  await until(
    async () =>
      (await count('select count(*)::integer as n from work_item where workflow_id = $1', `import-job/${jobId}`)) === 0,
  );
  const run = service.gateway.client().workflow.getHandle(`import-job/${jobId}`);
  await until(async () => (await run.describe()).status.name !== 'RUNNING');
  const view = async () =>
    (await service.call('GET', `/v1/operations/import-jobs/${jobId}/`, { token: service.operatorToken })).body;
  const { status, counts, steps } = await view();
  expect(status).toBe('CANCELLED');
  expect(counts.accepted).toBe(counts.succeeded + counts.failed + counts.unprocessed);
  expect(counts.unprocessed).toBeGreaterThan(0);
  expect(await count(STAGED, jobId)).toBe(steps.judged);
  expect(await count(CREATED, jobId)).toBe(name === 'creating' ? counts.succeeded : 0);
  await sleep(1_500);
  expect((await view()).counts).toEqual(counts);
  expect(await count(CREATED, jobId)).toBe(name === 'creating' ? counts.succeeded : 0);
});
