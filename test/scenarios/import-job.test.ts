import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { startService } from '../support/harness.ts';
import { putJob, startJob, untilJob } from '../support/run-import-job.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());

const account = (sequence: number, external = `JOB-${sequence}`) => ({
  ...domesticAccount({ import_supplier: 'SUPPLIER_FR' }, sequence),
  external_account_number: external,
});
async function rows(text: string, values: unknown[] = []): Promise<Record<string, any>[]> {
  return (await service.database.pool.query(text, values)).rows;
}

test('stages and creates accounts, fails invalid lines alone, and counts lines', async () => {
  const lines = [
    ...Array.from({ length: 300 }, (_, index) => account(index + 1)),
    '{"broken":',
    { ...account(900, 'BAD-1'), account_type: 'CASTLE' },
    account(901, 'JOB-7'),
  ];
  const jobId = await putJob(service.database, { goal: 'CREATE', lines });
  await startJob(service.gateway, jobId);
  const job = await untilJob(service.database, jobId);
  expect(job).toMatchObject({ accepted: 303, judged: 303, staged: 300, succeeded: 300, failed: 3 });

  expect(
    await rows(
      `select line, key, state, errors -> 0 ->> 'code' as code from import_job_line where job_id = $1 and state <> 'succeeded' order by line`,
      [jobId],
    ),
  ).toEqual([
    { line: 301, key: null, state: 'failed', code: 'parse_error' },
    { line: 302, key: 'BAD-1', state: 'failed', code: 'invalid_choice' },
    { line: 303, key: 'JOB-7', state: 'failed', code: 'duplicate_in_job' },
  ]);
  const [created] = await rows(
    `select count(*)::integer as accounts, count(distinct l.number)::integer as numbers
     from import_job_line l join account a on a.number = l.number and a.external_account_number = l.key where l.job_id = $1`,
    [jobId],
  );
  expect(created).toEqual({ accounts: 300, numbers: 300 });
  expect(await rows('select 1 from work_item where workflow_id = $1', [`import-job/${jobId}`])).toEqual([]);
  const run = service.gateway.client().workflow.getHandle(`import-job/${jobId}`);
  expect(await run.result()).toBe('COMPLETED');
}, 60_000);
