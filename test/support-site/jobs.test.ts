import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { startService, type Service } from '../support/harness.ts';
import { IMPORT_JOBS, jobClient, UNKNOWN_JOB, type JobClient } from '../support/import-jobs.ts';
import { putJob, startJob, untilJob } from '../support/run-import-job.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';

let service: Service;
let site: Site;
let client: JobClient;
let visitor: Visitor;
let viewer: Visitor;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  client = await jobClient(service);
  visitor = await site.signedIn();
  viewer = await site.signedIn('read');
});
afterAll(async () => {
  await site?.stop();
  await service?.stop();
});

const account = (number: string, more: object = {}) =>
  domesticAccount(
    { import_supplier: 'SUPPLIER_FR', external_account_number: number, ...more },
    Number(number.slice(2)),
  );

/** A job of three lines, of which the second fails. */
async function judged(): Promise<string> {
  const lines = [account('J-1'), account('J-2', { sales_channel: 7 }), account('J-3')];
  const jobId = await putJob(service.database, { goal: 'VALIDATE', lines });
  await startJob(service.gateway, jobId);
  await untilJob(service.database, jobId);
  return jobId;
}

const auditOf = async (jobId: string) => {
  const { rows } = await service.database.pool.query(
    `select action, actor_name, reason from audit_entry where subject like $1 and actor_name like 'staff%' order by at, id`,
    [`import-jobs/${jobId}%`],
  );
  return rows as { action: string; actor_name: string; reason: string | null }[];
};

test('the list shows jobs by supplier and status, newest first, by pages', async () => {
  const older = await client.open({ name: 'Older' });
  const newer = await client.open({ name: 'Newer' });
  const all = await visitor.get('/jobs');
  expect(all.text.indexOf(newer)).toBeLessThan(all.text.indexOf(older));
  const first = await visitor.get('/jobs?import_supplier=SUPPLIER_FR&status=OPEN&limit=1');
  expect(first.text).toContain(newer);
  expect(first.text).not.toContain(older);
  const onward = /href="(\/jobs\?[^"]*cursor[^"]*)"/.exec(first.text)![1]!.replaceAll('&amp;', '&');
  expect(onward).toContain('import_supplier=SUPPLIER_FR&status=OPEN');
  expect((await visitor.get(onward)).text).toContain(older);
  expect((await visitor.get('/jobs?status=COMPLETED&import_supplier=')).text).not.toContain(older);
  expect((await visitor.get('/jobs/list?status=OPEN', { 'hx-request': 'true' })).text).toMatch(
    /^\s*<section id="jobs"/,
  );
  expect(await visitor.get('/jobs?status=LATER')).toMatchObject({ status: 400 });
  const asked = await service.call('GET', `${IMPORT_JOBS}?status=OPEN&limit=1`, { token: client.token });
  expect(asked.body).toMatchObject([{ job_id: newer }]);
  expect(asked.headers['link']).toContain('&status=OPEN');
});

test('a job says how far it is, why lines failed and what to do, and leads to its run', async () => {
  const jobId = await judged();
  const { text } = await visitor.get(`/jobs/${jobId}`);
  expect(text).toContain('2 succeeded, 1 failed, 0 unprocessed of 3');
  expect(text).toContain(`${service.url}/docs/codes/`);
  expect(text).toMatch(/line 2/);
  expect(text).toContain(`/workflows/import-job%2F${jobId}`);
  // Nothing more happens with it, so the page is not read again.
  expect(text).toContain('hx-trigger="none"');
  expect((await visitor.get(`/jobs/${jobId}/causes`)).text).toContain('sales_channel');
  expect((await visitor.get(`/jobs/${jobId}/progress?shown=none`)).text).not.toContain('id="actions"');
  expect((await visitor.get(`/jobs/${jobId}/progress?shown=canary`)).text).toContain('id="actions"');
  for (const path of [UNKNOWN_JOB, `${UNKNOWN_JOB}/causes`, `${UNKNOWN_JOB}/results/failed`, 'x', 'x/progress']) {
    expect({ path, status: (await visitor.get(`/jobs/${path}`)).status }).toEqual({ path, status: 404 });
  }
});

test('results are files, for operators; the audit names who took them', async () => {
  const jobId = await judged();
  const failed = await visitor.get(`/jobs/${jobId}/results/failed`);
  expect(failed.headers.get('content-disposition')).toBe(`attachment; filename="${jobId}-failed.ndjson"`);
  expect(JSON.parse(failed.text)).toMatchObject({ line: 2, key: 'J-2', outcome: 'failed' });
  const resend = await visitor.get(`/jobs/${jobId}/results/failed?form=resend`);
  expect(JSON.parse(resend.text)).toMatchObject({ external_account_number: 'J-2', _line: 2 });
  const succeeded = await visitor.get(`/jobs/${jobId}/results/succeeded`);
  expect(succeeded.text.trim().split('\n')).toHaveLength(2);
  expect((await visitor.get(`/jobs/${jobId}/results/unprocessed`)).text).toBe('');
  expect((await visitor.get(`/jobs/${jobId}/results/other`)).status).toBe(400);
  const read = { action: 'import_job.results_read', actor_name: 'staff all / Ada', reason: null };
  expect(await auditOf(jobId)).toEqual([read, read, read, read]);
  expect((await visitor.get(`/jobs/${jobId}`)).text).toContain('import_job.results_read');
});

test('a viewer sees a job, and neither takes results nor steers it', async () => {
  const jobId = await client.open();
  const { status, text } = await viewer.get(`/jobs/${jobId}`);
  expect(status).toBe(200);
  expect(text).not.toMatch(/\/results\/|action="\/jobs/);
  expect((await viewer.get(`/jobs/${jobId}/results/failed`)).status).toBe(403);
  for (const verb of ['pause', 'resume', 'cancel']) {
    const answer = await viewer.post(`/jobs/${jobId}/${verb}`, [['reason', 'x']]);
    expect({ verb, status: answer.status }).toEqual({ verb, status: 403 });
  }
  expect(await auditOf(jobId)).toEqual([]);
});

test('pause, resume and cancel are done in the name of the person, with the reason', async () => {
  const lines = Array.from({ length: 50 }, (_, index) => account(`S-${index}`));
  const jobId = await putJob(service.database, { goal: 'VALIDATE', lines, options: { max_per_second: 1 } });
  await visitor.get(`/jobs/${jobId}`);
  expect((await visitor.post(`/jobs/${jobId}/pause`, [])).status).toBe(400);
  expect(await visitor.post(`/jobs/${jobId}/pause`, [['reason', 'Too much load']])).toMatchObject({
    status: 303,
    location: `/jobs/${jobId}`,
  });
  const paused = await visitor.get(`/jobs/${jobId}`);
  expect(paused.text).toMatch(/PAUSED: asked[\s\S]*>Resume</);
  await visitor.post(`/jobs/${jobId}/resume`, [['seen', 'canary']]);
  expect((await visitor.get(`/jobs/${jobId}`)).text).toContain('paused for another reason by now');
  await visitor.post(`/jobs/${jobId}/resume`, [['seen', 'asked']]);
  expect((await visitor.get(`/jobs/${jobId}`)).text).toContain('It goes on.');
  await visitor.post(`/jobs/${jobId}/cancel`, [['reason', 'Wrong file']]);
  expect((await visitor.get(`/jobs/${jobId}`)).text).toMatch(/CANCELLED/);
  expect((await visitor.post(`/jobs/${jobId}/pause`, [['reason', 'x']])).text).toContain('has ended');
  const by = { actor_name: 'staff all / Ada' };
  expect(await auditOf(jobId)).toEqual([
    { ...by, action: 'import_job.paused', reason: 'Too much load' },
    { ...by, action: 'import_job.resumed', reason: null },
    { ...by, action: 'import_job.cancelled', reason: 'Wrong file' },
  ]);
});

test('the causes over all that a supplier has staged lead to the accounts', async () => {
  const create = '/v1/data-import/account-import-process/create-or-update/';
  await service.call('POST', create, { token: client.token, body: account('M-1') });
  await service.database.pool.query(
    `update import_process set skipped_at = now() where external_account_number = 'M-1'`,
  );
  const page = await visitor.get('/jobs/causes/SUPPLIER_FR');
  expect(page.text).toContain('hx-get="/jobs/causes/SUPPLIER_FR/counted"');
  const counted = await visitor.get('/jobs/causes/SUPPLIER_FR/counted');
  expect(counted.text).toMatch(/import_process_marked_to_skip[\s\S]*href="\/accounts\/SUPPLIER_FR\/M-1"/);
  const part = await visitor.get('/jobs/causes/SUPPLIER_FR/counted', { 'hx-request': 'true' });
  expect(part.text).not.toContain('<html');
  expect((await visitor.get('/jobs/causes/SUPPLIER_XX/counted')).status).toBe(404);
});

test('a large result is read as fast as it is taken, and few at once', async () => {
  const jobId = await judged();
  // More than the buffers of a connection hold.
  const LINES = 60_000;
  await service.database.pool.query(
    `insert into import_job_line (job_id, line, key, claims_key, state, number)
     select $1, n, repeat('k', 300) || n, false, 'succeeded', 'A-' || n from generate_series(10, $2) n`,
    [jobId, LINES],
  );
  const leave = new AbortController();
  // An answer that nobody holds is ended when its memory is collected.
  const held: Response[] = [];
  const take = async ({ cookie }: Visitor, signal: AbortSignal) => {
    const taken = await fetch(`${site.url}/jobs/${jobId}/results/succeeded`, { headers: { cookie }, signal });
    held.push(taken);
    return taken;
  };
  const other = await site.signedIn();
  const whole = await take(other, new AbortController().signal);
  await take(visitor, leave.signal);
  await take(visitor, leave.signal);
  expect((await visitor.get(`/jobs/${jobId}/results/failed`)).text).toContain('long responses in progress');
  await take(other, leave.signal);
  const fifth = await visitor.get(`/jobs/${jobId}/results/succeeded`);
  expect(fifth).toMatchObject({ status: 429 });
  expect(fifth.headers.get('retry-after')).toBe('10');
  await service.database.pool.query('delete from import_job_line where job_id = $1 and line > $2', [
    jobId,
    LINES - 20_000,
  ]);
  const numbers = (await whole.text()).trim().split('\n');
  expect(numbers.length).toBeGreaterThan(10_000);
  expect(numbers.length).toBeLessThan(LINES - 10_000);
  leave.abort();
  let again = 429;
  while (again === 429) again = (await visitor.get(`/jobs/${jobId}/results/failed`)).status;
  expect(again).toBe(200);
  expect(held.length).toBe(4);
}, 60_000);
