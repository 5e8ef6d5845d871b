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

/** A job with three lines; the second fails. */
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

test('lists jobs by supplier and status, newest first, in pages', async () => {
  const older = await client.open({ name: 'Older' });
  const newer = await client.open({ name: 'Newer' });
  const all = await visitor.get('/jobs');
  expect(all.text).toContain(`<a href="/jobs/${newer}">Newer</a>`);
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

test('shows the progress, causes and remedies of a job, and links its run', async () => {
  const jobId = await judged();
  const { text } = await visitor.get(`/jobs/${jobId}`);
  expect(text).toContain('2 succeeded, 1 failed, 0 unprocessed of 3');
  expect(text).toContain(`${service.url}/docs/codes/`);
  expect(text).toMatch(/line 2/);
  expect(text).toContain(`/workflows/import-job%2F${jobId}`);
  // The job has ended, so the page does not refresh.
  expect(text).not.toContain('hx-trigger="every');
  expect((await visitor.get(`/jobs/${jobId}/causes`)).text).toContain('sales_channel');
  expect((await visitor.get(`/jobs/${jobId}/progress?shown=none`)).text).not.toContain('id="actions"');
  // All parts that depend on the end come along, and the message about the start goes.
  const ended = (await visitor.get(`/jobs/${jobId}/progress?shown=canary`)).text;
  for (const id of ['decision', 'actions', 'failed', 'about']) {
    expect(ended).toContain(`<section id="${id}" hx-swap-oob="true">`);
  }
  expect(ended).toContain('First failed records');
  expect(ended).toMatch(/<dt>Ended<\/dt>\s*<dd><time/);
  expect(ended).toContain('<div id="message" hx-swap-oob="true"></div>');
  for (const path of [UNKNOWN_JOB, `${UNKNOWN_JOB}/causes`, `${UNKNOWN_JOB}/results/failed`, 'x', 'x/progress']) {
    expect({ path, status: (await visitor.get(`/jobs/${path}`)).status }).toEqual({ path, status: 404 });
  }
});

test('lets operators download results, and audits that', async () => {
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
  expect((await visitor.get(`/jobs/${jobId}`)).text).toMatch(/Ada<\/strong>\s+downloaded results of/);
});

test('shows viewers a job without downloads and actions', async () => {
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

test('shows an account that was rejected in a job, with its own sentence, line and job', async () => {
  const email = { ...account('R-1').customers![0], email: 'not an address' };
  const lines = [account('R-0'), account('R-1', { customers: [email] })];
  const jobId = await putJob(service.database, { goal: 'STAGE', lines });
  await startJob(service.gateway, jobId);
  await untilJob(service.database, jobId);
  const found = await service.call('GET', `/v1/operations/import-jobs/${jobId}/results/?outcome=failed`, {
    token: service.operatorToken,
  });
  const [error] = found.body[0].errors;
  const causes = (await viewer.get(`/jobs/${jobId}`)).text;
  expect(causes).toContain(error.detail);
  const list = /href="([^"]+records\/failed\?code=[^"]+)"/.exec(causes)![1]!.replaceAll('&amp;', '&');
  for (const path of [list, '/accounts/SUPPLIER_FR/R-1', '/find?q=R-1']) {
    const { status, text } = await viewer.get(path);
    expect({ path, status }).toEqual({ path, status: 200 });
    expect(text).toContain(error.detail);
    expect(text).toContain('href="/accounts/SUPPLIER_FR/R-1"');
    expect(text).toMatch(/<td class="number"[^>]*>2</);
    expect(text).toContain(`href="/jobs/${jobId}"`);
  }
  expect((await viewer.get('/accounts/SUPPLIER_FR/R-1')).text).toContain('This account was never staged');
  expect((await viewer.get('/accounts/SUPPLIER_FR/R-2')).status).toBe(404);
  expect((await viewer.get('/accounts/OTHER/R-1')).status).toBe(404);
  const filtered = (await viewer.get(`/accounts?import_supplier=SUPPLIER_FR&refusal=${error.code}`)).text;
  expect(filtered).toContain(`/jobs/${jobId}/records/failed?code=${error.code}`);
  expect((await viewer.get(`/jobs/${jobId}/records/failed?code=other`)).text).toContain('No record matches.');
});

test('lists the records of a job by pages', async () => {
  const jobId = await judged();
  await service.database.pool.query(
    `insert into import_job_line (job_id, line, key, claims_key, state, number)
     select $1, n, 'K-' || n, false, 'succeeded', 'A-' || n from generate_series(10, 69) n`,
    [jobId],
  );
  const first = (await viewer.get(`/jobs/${jobId}/records/succeeded`)).text;
  expect(first).toContain('K-50');
  // The job has only validated, so its accounts have no page.
  const record = /href="([^"]+)"><code>J-1</.exec(first)![1]!;
  expect((await viewer.get(record)).status).toBe(200);
  expect(first).not.toContain('K-69');
  const next = /href="([^"]+cursor=[^"]+)"/.exec(first)![1]!.replaceAll('&amp;', '&');
  expect((await viewer.get(next)).text).toContain('K-69');
  expect((await viewer.get(`/jobs/${UNKNOWN_JOB}/records/failed`)).status).toBe(404);
});

test('shows the result of a canary with its projection, and approves it only with a reason', async () => {
  const lines = Array.from({ length: 40 }, (_, index) =>
    account(`C-${index}`, index % 4 === 0 ? { sales_channel: 7 } : {}),
  );
  const jobId = await putJob(service.database, { goal: 'STAGE', lines, options: { canary: 20 } });
  await startJob(service.gateway, jobId);
  await untilJob(service.database, jobId, (job) => job.pausedBecause === 'canary');
  await service.database.pool.query(
    `insert into import_job_cause (job_id, code, place, is_warning, records, alone, example_line)
     values ($1, 'supply_point_on_another_account', 'supply_addresses.*.supply_points.*.identifier', true, 15, 0, 2)`,
    [jobId],
  );
  const { text } = await visitor.get(`/jobs/${jobId}`);
  expect(text).toContain('Canary: 20 of 40 records');
  expect(text).toMatch(/records\/succeeded">Succeeded<[\s\S]*?>15<[\s\S]*?about 30</);
  expect(text).toMatch(/records\/failed">Failed<[\s\S]*?>5<[\s\S]*?about 10</);
  expect(text).toMatch(/flash-problem[\s\S]*15 of 15 accounts have a supply point that is also on another account/);
  expect(text.indexOf('Canary: 20')).toBeLessThan(text.indexOf('id="progress"'));
  expect(text).toContain('There is no completed rehearsal of the same records');
  expect(text).toContain('Type 40, the number of records that will probably fail or need a decision');
  const approve = (expected: string, reason: string) =>
    visitor.post(`/jobs/${jobId}/resume`, [
      ['seen', 'canary'],
      ['expected', expected],
      ['reason', reason],
    ]);
  for (const expected of ['', '39']) {
    expect((await approve(expected, 'Agreed with the supplier')).status).toBe(303);
    expect((await visitor.get(`/jobs/${jobId}`)).text).toContain('Nothing was changed: type the number of records');
  }
  expect((await approve('40', '')).status).toBe(400);
  await visitor.get(`/jobs/${jobId}`);
  expect((await approve('40', 'Agreed with the supplier')).status).toBe(303);
  await untilJob(service.database, jobId);
  expect(await auditOf(jobId)).toMatchObject([{ action: 'import_job.resumed', reason: 'Agreed with the supplier' }]);
});

test('says which party a job waits for and since when', async () => {
  const jobId = await putJob(service.database, { goal: 'IMPORT', kind: 'payment-instructions', lines: [{}, {}] });
  const query = (text: string, values: unknown[] = []) => service.database.pool.query(text, values);
  await query(`update import_job_page set not_before = now() + interval '10 s' where job_id = $1`, [jobId]);
  expect((await viewer.get(`/jobs/${jobId}`)).text).toContain('Waiting to retry records');
  await query(
    `insert into party_health (party, answered_at, failed_at, failure)
     values ('SLIMPAY', '2026-11-20T09:00:00Z', '2026-11-20T09:30:00Z', 'unavailable')`,
  );
  for (const path of [`/jobs/${jobId}`, '/jobs', '/overview']) {
    expect((await viewer.get(path)).text).toMatch(
      /Waiting for <strong>SLIMPAY<\/strong> since <time datetime="2026-11-20T09:00/,
    );
  }
  await query(
    `update work_item set cause = 'database_away', party = 'database', failure = 'Postgres does not answer.', failing_since = '2026-11-20T10:00:00Z'
     where workflow_id = $1`,
    [`import-job/${jobId}`],
  );
  expect((await viewer.get(`/jobs/${jobId}`)).text).toMatch(
    /Waiting for <strong>database<[\s\S]*Postgres does not answer\./,
  );
  await query(`update import_job set status = 'CANCELLED', ended_at = now() where id = $1`, [jobId]);
  expect((await viewer.get(`/jobs/${jobId}`)).text).not.toContain('Waiting for');
});

test('pauses, resumes and cancels a job in the name of the person, with the reason', async () => {
  const lines = Array.from({ length: 50 }, (_, index) => account(`S-${index}`));
  const jobId = await putJob(service.database, { goal: 'VALIDATE', lines, options: { max_per_second: 1 } });
  await visitor.get(`/jobs/${jobId}`);
  expect((await visitor.post(`/jobs/${jobId}/pause`, [])).status).toBe(400);
  expect(await visitor.post(`/jobs/${jobId}/pause`, [['reason', 'Too much load']])).toMatchObject({
    status: 303,
    location: `/jobs/${jobId}`,
  });
  const paused = await visitor.get(`/jobs/${jobId}`);
  expect(paused.text).toMatch(/>Resume the job<[\s\S]*PAUSED: manually/);
  await visitor.post(`/jobs/${jobId}/resume`, [
    ['seen', 'canary'],
    ['reason', 'good'],
  ]);
  expect((await visitor.get(`/jobs/${jobId}`)).text).toContain('now paused for another reason');
  await visitor.post(`/jobs/${jobId}/resume`, [['seen', 'asked']]);
  expect((await visitor.get(`/jobs/${jobId}`)).text).toContain('The job was resumed.');
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

test('links the causes of all staged accounts of a supplier to the accounts', async () => {
  const create = '/v1/data-import/account-import-process/create-or-update/';
  await service.call('POST', create, { token: client.token, body: account('M-1') });
  await service.database.pool.query(
    `update import_process set skipped_at = now() where external_account_number = 'M-1'`,
  );
  const page = await visitor.get('/causes/SUPPLIER_FR');
  expect(page.text).toContain('hx-get="/causes/SUPPLIER_FR/counted"');
  const counted = await visitor.get('/causes/SUPPLIER_FR/counted');
  expect(counted.text).toMatch(/import_process_marked_to_skip[\s\S]*href="\/accounts\/SUPPLIER_FR\/M-1"/);
  const part = await visitor.get('/causes/SUPPLIER_FR/counted', { 'hx-request': 'true' });
  expect(part.text).not.toContain('<html');
  expect((await visitor.get('/causes/SUPPLIER_XX/counted')).status).toBe(404);
});

test('reads a large result as fast as the client, and limits concurrent downloads', async () => {
  const jobId = await judged();
  // More than the buffers of a connection.
  const LINES = 60_000;
  await service.database.pool.query(
    `insert into import_job_line (job_id, line, key, claims_key, state, number)
     select $1, n, repeat('k', 300) || n, false, 'succeeded', 'A-' || n from generate_series(10, $2) n`,
    [jobId, LINES],
  );
  const leave = new AbortController();
  // Garbage collection would end a response without a reference.
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
