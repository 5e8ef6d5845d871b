import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { startService, type Service } from '../support/harness.ts';
import { jobClient, type JobClient } from '../support/import-jobs.ts';
import { untilJob } from '../support/run-import-job.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';

// What a person sees and does when a job waits for a decision, and the records that it rejected.

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

const account = (number: number, more: object = {}) =>
  domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: `D-${number}`, ...more }, number);

/** Uploads and starts a job of accounts. */
async function run(lines: readonly object[], more: object): Promise<string> {
  const jobId = await client.open({ operations_team_name: 'Migration', ...more });
  await client.put(jobId, 1, lines.map((line) => JSON.stringify(line)).join('\n'));
  await client.post(jobId, 'start');
  return jobId;
}

const WRONG = { sales_channel: 7 };

test('compares a canary with the last rehearsal of the same records', async () => {
  const lines = Array.from({ length: 12 }, (_, index) => account(index, index === 1 ? WRONG : {}));
  await service.database.pool.query(`insert into operations_team (name) values ('Migration') on conflict do nothing`);
  const other = await run([account(50)], { goal: 'REHEARSE' });
  const rehearsal = await run(lines, { goal: 'REHEARSE' });
  await untilJob(service.database, rehearsal);
  await untilJob(service.database, other);
  // A supply start that was possible at the rehearsal, and a fault that is new.
  await service.database.pool.query(
    `update import_job_line set state = 'failed', errors = '[{"code": "gone_code", "attr": "a.0.b", "detail": "Gone."}]'
     where job_id = $1 and line = 3`,
    [rehearsal],
  );
  const jobId = await run(lines, { goal: 'CREATE', options: { canary: 6 } });
  await untilJob(service.database, jobId, ({ pausedBecause }) => pausedBecause === 'canary');
  const { text } = await visitor.get(`/jobs/${jobId}`);
  expect(text).toContain(`href="/jobs/${rehearsal}">rehearsal</a>`);
  expect(text).toMatch(/>Created<[\s\S]*?>5<[\s\S]*?about 10<[\s\S]*?>4</);
  expect(text).toMatch(/>Failed<[\s\S]*?>1<[\s\S]*?about 2<[\s\S]*?>2</);
  expect(text).toMatch(/sales_channel<[\s\S]*?about 2[\s\S]*?1: the same/);
  expect(text).toMatch(/gone_code<[\s\S]*?a\.\*\.b[\s\S]*?1: gone/);
  // The first created accounts, and the way to all of them.
  expect(text).toMatch(/records\/succeeded">all 5<[\s\S]*?href="\/accounts\/SUPPLIER_FR\/D-0"[\s\S]*?A-/);
  expect(text.indexOf('id="decision"')).toBeLessThan(text.indexOf('id="progress"'));
  for (const button of ['Approve the canary and continue', 'Cancel the job', 'Cancel and withdraw']) {
    expect(text.split(`>${button}<`)).toHaveLength(2);
  }
  const seen = await viewer.get(`/jobs/${jobId}`);
  expect(seen.text).toContain('about 10');
  expect(seen.text).not.toContain('action="/jobs');

  const withdrawn = await visitor.post(`/jobs/${jobId}/cancel`, [
    ['next', 'withdraw'],
    ['reason', 'Wrong month'],
  ]);
  expect(withdrawn).toMatchObject({ status: 303, location: `/jobs/${jobId}/withdraw` });
  expect((await visitor.get(`/jobs/${jobId}/withdraw/preview`)).text).toMatch(/can be withdrawn<[\s\S]*?>5</);
  expect((await visitor.get(`/jobs/${jobId}`)).text).toContain('<section id="decision"></section>');
});

test('asks for a reason, and not for a number, where few records fail', async () => {
  const lines = Array.from({ length: 4 }, (_, index) => account(100 + index));
  const jobId = await run(lines, { goal: 'STAGE', options: { canary: 2 } });
  await untilJob(service.database, jobId, ({ pausedBecause }) => pausedBecause === 'canary');
  const { text } = await visitor.get(`/jobs/${jobId}`);
  expect(text).not.toContain('name="expected"');
  expect(text).not.toContain('Cancel and withdraw');
  const resume = (reason: string) =>
    visitor.post(`/jobs/${jobId}/resume`, [
      ['seen', 'canary'],
      ['reason', reason],
    ]);
  expect((await resume('')).status).toBe(400);
  expect((await resume('Good')).status).toBe(303);
  await untilJob(service.database, jobId);
});

test('lists failed accounts with values, as a file without personal data, and those that are still missing', async () => {
  const person = { ...account(203).customers![0], email: 'Odette Swann' };
  const lines = [
    account(200),
    account(201, WRONG),
    account(202, { sales_channel: 9 }),
    account(203, { customers: [person] }),
  ];
  const jobId = await run(lines, { goal: 'STAGE' });
  await untilJob(service.database, jobId);
  const page = (await viewer.get(`/jobs/${jobId}`)).text;
  expect(page).toContain(`href="/jobs/${jobId}/records/failed.csv"`);
  expect(page).toContain(`hx-get="/jobs/${jobId}/missing"`);
  expect(page).toMatch(/<textarea[^>]*readonly>[\s\S]*sales_channel: \d record[\s\S]*<\/textarea/);
  const failed = (await viewer.get(`/jobs/${jobId}/records/failed`)).text;
  expect(failed).toMatch(/D-201<[\s\S]*?<code>7<\/code>/);
  expect(failed).not.toContain('Swann');
  const file = await viewer.get(`/jobs/${jobId}/records/failed.csv`);
  expect(file.headers.get('content-disposition')).toBe(`attachment; filename="failed-records.csv"`);
  expect(file.text).toMatch(/"2";"D-201";"\w+";"sales_channel";"[^"]+";"7";"yes"\r\n/);
  expect(file.text).toContain('"4";"D-203"');
  expect(file.text).not.toContain('Swann');

  expect((await viewer.get(`/jobs/${jobId}/missing`, { 'hx-request': 'true' })).text).toMatch(
    /^\s*<p>\s*Still missing: <strong>3<[\s\S]* of 3 failed/,
  );
  await untilJob(service.database, await run([account(201)], { goal: 'STAGE' }));
  expect((await viewer.get(`/jobs/${jobId}/missing`)).text).toMatch(/Still missing: <strong>2<[\s\S]* of 3 failed/);
  const missing = (await viewer.get(`/jobs/${jobId}/records/failed?missing=yes`)).text;
  expect(missing).toContain('D-202');
  expect(missing).not.toContain('D-201');
  expect((await viewer.get(`/jobs/${jobId}/records/failed`)).text).toMatch(/D-201<[\s\S]*?stored since[\s\S]*?D-202</);
  const narrowed = await viewer.get(`/jobs/${jobId}/records/failed.csv?code=no_such&missing=yes`);
  expect(narrowed.text.trim().split('\r\n')).toHaveLength(1);
});

test('adds up causes over open jobs by supplier, each with the way to its records', async () => {
  const wrong = (from: number, size: number) =>
    Array.from({ length: size }, (_, index) => account(from + index, { sales_channel: 8 }));
  const older = await run(wrong(300, 3), { goal: 'VALIDATE', name: 'Older' });
  await untilJob(service.database, older);
  const newer = await run(wrong(310, 1), { goal: 'VALIDATE', name: 'Newer' });
  await untilJob(service.database, newer);
  const { text } = await viewer.get('/causes?import_supplier=SUPPLIER_FR');
  const [row] = text.split('<tr>').filter((one) => one.includes('>Newer') || one.includes('in Newer'));
  expect(row).toMatch(/Example:\s+line 1, value <code>8</);
  expect(row).toMatch(new RegExp(`/jobs/${newer}/records/failed\\?code=\\w+&amp;place=sales_channel">1<`));
  expect(row).toMatch(new RegExp(`/jobs/${older}/records/failed\\?code=\\w+&amp;place=sales_channel">3<`));
  expect(row).toContain('2 fewer than in the job before');
  expect(text).toContain('href="/causes/SUPPLIER_FR"');
  await service.database.pool.query(`update import_job set ended_at = now() - interval '8 days'`);
  expect((await viewer.get('/causes')).text).toContain('No record failed.');
  expect((await viewer.get('/causes?import_supplier=NOBODY')).text).toContain('No record failed.');
});
