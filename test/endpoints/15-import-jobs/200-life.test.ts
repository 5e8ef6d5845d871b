import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { IMPORT_JOBS, jobClient, someLines } from '../../support/import-jobs.ts';

// No worker runs these jobs: the tests check only what is requested of them.

const service = await startService();
afterAll(() => service.stop());
const client = await jobClient(service);

const started = async () => {
  const jobId = await client.open();
  await client.put(jobId, 1, someLines(600));
  await client.post(jobId, 'start');
  return jobId;
};
const set = (jobId: string, change: string) =>
  service.database.pool.query(`update import_job set ${change} where id = $1`, [jobId]);
const see = async (jobId: string) =>
  (await service.call('GET', `${IMPORT_JOBS}${jobId}/`, { token: client.token })).body;
const workOf = async (jobId: string) =>
  (
    await service.database.pool.query('select kind, input from work_item where workflow_id = $1', [
      `import-job/${jobId}`,
    ])
  ).rows;

test('accepts the records and the work at a start, which may be repeated', async () => {
  const jobId = await started();
  expect(await client.post(jobId, 'start')).toMatchObject({
    status: 200,
    body: { job_id: jobId, status: 'VALIDATING', paused_because: null },
  });
  expect(await see(jobId)).toMatchObject({
    status: 'VALIDATING',
    counts: { accepted: 600, succeeded: 0, failed: 0, unprocessed: 600 },
    parts: [{ part: 1, lines: 600 }],
    started_at: expect.any(String),
    ended_at: null,
  });
  expect(await workOf(jobId)).toEqual([
    { kind: 'import-job', input: expect.objectContaining({ jobId, importSupplier: 'SUPPLIER_FR' }) },
  ]);
});

test('pauses and resumes a job, also repeatedly, and rejects to pause an open one', async () => {
  const open = await client.open();
  for (const verb of ['pause', 'resume']) {
    expect((await client.post(open, verb)).body).toEqual({ job_id: open, status: 'OPEN', paused_because: null });
  }
  const jobId = await started();
  for (let times = 1; times <= 2; times += 1) {
    expect((await client.post(jobId, 'pause')).body).toMatchObject({ status: 'PAUSED', paused_because: 'asked' });
  }
  for (let times = 1; times <= 2; times += 1) {
    expect((await client.post(jobId, 'resume')).body).toMatchObject({ status: 'VALIDATING', paused_because: null });
  }
  await set(jobId, 'judged = 600');
  await client.post(jobId, 'pause');
  expect((await client.post(jobId, 'resume')).body).toMatchObject({ status: 'RUNNING' });
});

test.each([
  ['canary', 'canary', { is_canary_passed: true, failures_accepted: 0 }],
  ['too_many_failures', 'too_many_failures', { is_canary_passed: false, failures_accepted: 7 }],
  ['outside_window', 'asked', { is_canary_passed: false, failures_accepted: 0 }],
  ['supplier_paused', 'asked', { is_canary_passed: false, failures_accepted: 0 }],
  ['staged_accounts_max', 'asked', { is_canary_passed: false, failures_accepted: 0 }],
])(
  'keeps a job that is paused because of %s paused when it is paused again, and resumes it',
  async (because, after, accepted) => {
    const jobId = await started();
    await set(jobId, `status = 'PAUSED', paused_because = '${because}', judged = 100, failed = 7`);
    expect((await client.post(jobId, 'pause')).body).toMatchObject({ status: 'PAUSED', paused_because: after });
    expect((await client.post(jobId, 'resume')).body).toMatchObject({ status: 'VALIDATING', paused_because: null });
    const { rows } = await service.database.pool.query(
      'select is_canary_passed, failures_accepted from import_job where id = $1',
      [jobId],
    );
    expect(rows).toEqual([accepted]);
  },
);

test.each(['OPEN', 'VALIDATING', 'RUNNING', 'PAUSED'])('cancels a job that is %s permanently', async (status) => {
  const jobId = status === 'OPEN' ? await client.open() : await started();
  await set(jobId, `status = '${status}', paused_because = ${status === 'PAUSED' ? "'canary'" : 'null'}`);
  for (let times = 1; times <= 2; times += 1) {
    expect((await client.post(jobId, 'cancel')).body).toEqual({
      job_id: jobId,
      status: 'CANCELLED',
      paused_because: null,
    });
  }
  expect(await see(jobId)).toMatchObject({ status: 'CANCELLED', ended_at: expect.any(String) });
  expect(await workOf(jobId)).toEqual([]);
});

test('audits each change once, with the state before', async () => {
  const jobId = await started();
  for (const verb of ['pause', 'pause', 'resume', 'cancel', 'cancel']) await client.post(jobId, verb);
  const { rows } = await service.database.pool.query(
    'select action, before ->> $2 as before, after ->> $2 as after from audit_entry where subject = $1 order by at, id',
    [`import-jobs/${jobId}`, 'status'],
  );
  expect(rows).toEqual([
    { action: 'import_job.opened', before: null, after: null },
    { action: 'import_job.started', before: 'OPEN', after: 'VALIDATING' },
    { action: 'import_job.paused', before: 'VALIDATING', after: 'PAUSED' },
    { action: 'import_job.resumed', before: 'PAUSED', after: 'VALIDATING' },
    { action: 'import_job.cancelled', before: 'VALIDATING', after: 'CANCELLED' },
  ]);
});

test('orders concurrent starts and cancellations one way or the other, never half', async () => {
  const jobIds = await Promise.all(Array.from({ length: 5 }, () => client.open()));
  await Promise.all(jobIds.map((jobId) => client.put(jobId, 1, someLines(3))));
  const answers = await Promise.all(
    jobIds.flatMap((jobId) => [client.post(jobId, 'start'), client.post(jobId, 'cancel'), client.post(jobId, 'start')]),
  );
  expect(answers.every(({ status }) => status === 200 || status === 400)).toBe(true);
  for (const jobId of jobIds) {
    expect(await see(jobId)).toMatchObject({ status: 'CANCELLED' });
    expect(await workOf(jobId)).toEqual([]);
  }
});

test('shows the rate of a running job and its expected end', async () => {
  const jobId = await started();
  await set(
    jobId,
    `status = 'RUNNING', judged = 600, succeeded = 100, failed = 20, warned = 3, window_at = now() - interval '1 second', window_count = 50, earlier_at = now() - interval '10 seconds', earlier_count = 50`,
  );
  const job = await see(jobId);
  expect(job).toMatchObject({
    counts: { accepted: 600, succeeded: 100, failed: 20, unprocessed: 480 },
    steps: { judged: 600 },
    warnings: 3,
  });
  expect(job.lines_per_second).toBeGreaterThan(5);
  expect(job.lines_per_second).toBeLessThanOrEqual(10);
  expect(Date.parse(job.estimated_end_at) - Date.now()).toBeGreaterThan(30_000);
});

test('counts the rate of a resumed job from the resume', async () => {
  const jobId = await started();
  await set(
    jobId,
    `window_at = now() - interval '9 seconds', window_count = 5000, earlier_at = now() - interval '19 seconds', earlier_count = 5000`,
  );
  expect((await see(jobId)).lines_per_second).toBeGreaterThan(100);
  for (const step of ['pause', 'resume']) expect((await client.post(jobId, step)).status).toBe(200);
  expect(await see(jobId)).toMatchObject({ status: 'VALIDATING', lines_per_second: 0 });
});
