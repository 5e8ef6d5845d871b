import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { jobClient, OPERATORS_IMPORT_JOBS, someLines, UNKNOWN_JOB } from '../../support/import-jobs.ts';

const service = await startService();
afterAll(() => service.stop());
const client = await jobClient(service);

const call = (method: string, path: string, body?: object) =>
  service.call(method, `${OPERATORS_IMPORT_JOBS}${path}`, {
    token: service.operatorToken,
    ...(body === undefined ? {} : { body }),
  });
const started = async () => {
  const jobId = await client.open();
  await client.put(jobId, 1, someLines(3));
  await client.post(jobId, 'start');
  return jobId;
};

test("shows operators every supplier's jobs", async () => {
  const jobId = await started();
  const other = await (await jobClient(service)).open();
  const { body } = await call('GET', '?limit=2');
  expect(body.map(({ job_id: id }: { job_id: string }) => id)).toEqual([other, jobId]);
  expect((await call('GET', `${jobId}/`)).body).toMatchObject({ job_id: jobId, parts: [{ part: 1, lines: 3 }] });
  expect((await call('GET', '?import_supplier=SUPPLIER_XX')).body).toEqual([]);
  const paged = await call('GET', '?limit=1');
  expect(paged.headers['link']).toContain(`<${OPERATORS_IMPORT_JOBS}?limit=1&cursor=${other}>`);
});

test('lets operators pause, resume and cancel a job, and audits the reason', async () => {
  const jobId = await started();
  expect((await call('POST', `${jobId}/pause/`, { reason: 'Too much load.' })).body).toMatchObject({
    status: 'PAUSED',
  });
  expect((await call('POST', `${jobId}/resume/`)).body).toMatchObject({ status: 'VALIDATING' });
  expect((await call('POST', `${jobId}/cancel/`, { reason: 'Wrong file.' })).body).toMatchObject({
    status: 'CANCELLED',
  });
  const { rows } = await service.database.pool.query(
    `select action, reason from audit_entry where subject = $1 and action <> 'import_job.opened' order by at, id`,
    [`import-jobs/${jobId}`],
  );
  expect(rows).toEqual([
    { action: 'import_job.started', reason: null },
    { action: 'import_job.paused', reason: 'Too much load.' },
    { action: 'import_job.resumed', reason: null },
    { action: 'import_job.cancelled', reason: 'Wrong file.' },
  ]);
});

test('audits what operators read of a job', async () => {
  const jobId = await started();
  await call('GET', `${jobId}/`);
  const { rows } = await service.database.pool.query(
    `select subject from audit_entry where action = 'operations.read' and subject = $1`,
    [`import-jobs/${jobId}`],
  );
  expect(rows).toHaveLength(1);
});

test.each(['pause', 'cancel'])('requires a reason to %s', async (verb) => {
  const jobId = await started();
  expect(await call('POST', `${jobId}/${verb}/`, {})).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ attr: 'reason', code: 'required' }] },
  });
  expect(await call('POST', `${jobId}/${verb}/`, { reason: 'x', wait: true })).toMatchObject({
    status: 400,
    body: { errors: [{ attr: 'wait', code: 'invalid' }] },
  });
  expect((await call('GET', `${jobId}/`)).body.status).toBe('VALIDATING');
});

test('rejects changes of a job that has ended, and of an unknown one', async () => {
  const jobId = await started();
  await client.post(jobId, 'cancel');
  for (const [verb, body] of [
    ['pause', { reason: 'x' }],
    ['resume', undefined],
  ] as const) {
    expect(await call('POST', `${jobId}/${verb}/`, body)).toMatchObject({
      status: 400,
      body: { code: 'import_job_ended' },
    });
    expect(await call('POST', `${UNKNOWN_JOB}/${verb}/`, body)).toMatchObject({
      status: 404,
      body: { code: 'import_job_not_found' },
    });
  }
  await service.database.pool.query(`update import_job set status = 'EXPIRED' where id = $1`, [jobId]);
  expect(await call('POST', `${jobId}/cancel/`, { reason: 'x' })).toMatchObject({ status: 400 });
  expect(await call('POST', `${UNKNOWN_JOB}/cancel/`, { reason: 'x' })).toMatchObject({ status: 404 });
  for (const path of ['', 'causes/', 'results/?outcome=failed']) {
    expect(await call('GET', `${UNKNOWN_JOB}/${path}`)).toMatchObject({ status: 404 });
  }
  expect(await call('GET', `${jobId}/causes/?only_blocking=x`)).toMatchObject({ status: 400 });
  expect(await call('GET', `${jobId}/results/`)).toMatchObject({
    status: 400,
    body: { errors: [{ attr: 'outcome' }] },
  });
  expect(await call('GET', '?limit=x')).toMatchObject({ status: 400, body: { errors: [{ attr: 'limit' }] } });
});
