import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHash } from 'node:crypto';
import { domesticAccount } from '../support/account-payload.ts';
import { startService, type Service } from '../support/harness.ts';
import { jobClient, someLines, storedPages, UNKNOWN_JOB } from '../support/import-jobs.ts';
import { untilJob } from '../support/run-import-job.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';

// Jobs that people open and upload with forms.

let service: Service;
let site: Site;
let visitor: Visitor;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  visitor = await site.signedIn();
});
afterAll(async () => {
  await site?.stop();
  await service?.stop();
});

interface Sent {
  fields?: [string, string][];
  file?: string | Buffer;
  headers?: Record<string, string>;
  by?: Visitor;
  /** A page with the token of the session. */
  page?: string;
}

/** Sends a form with a file, with the token of a page. */
async function send(path: string, { fields = [], file, headers = {}, by = visitor, page = '/overview' }: Sent) {
  const { text } = await by.get(page);
  const token = /name="form_token" value="([^"]*)"/.exec(text)![1]!;
  const body = new FormData();
  for (const [name, value] of [['form_token', token], ...fields] as const) body.set(name, value);
  body.set('file', new Blob(file === undefined ? [] : [file]), file === undefined ? '' : 'records.ndjson');
  return fetch(site.url + path, {
    method: 'POST',
    body,
    headers: { origin: site.url, cookie: by.cookie, ...headers },
    redirect: 'manual',
  });
}

const VALIDATE: [string, string][] = [
  ['import_supplier', 'SUPPLIER_FR'],
  ['kind', 'accounts'],
  ['goal', 'VALIDATE'],
];

async function open(fields: [string, string][] = VALIDATE): Promise<string> {
  const answer = await send('/jobs/new', { fields });
  expect(answer.status).toBe(303);
  return answer.headers.get('location')!;
}

test('needs a key that the job can belong to', async () => {
  const refused = await send('/jobs/new', { fields: VALIDATE });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('No valid API key may import for this import supplier.');
});

test('opens a job for the organization of the supplier, takes its file and starts it, in the name of the person', async () => {
  const client = await jobClient(service);
  expect((await visitor.get('/jobs/new')).text).toContain('<option value="SUPPLIER_FR">');
  const at = await open([...VALIDATE, ['name', 'By hand'], ['canary', '1']]);
  const lines = [1, 2].map((number) =>
    JSON.stringify(domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: `U-${number}` }, number)),
  );
  // Larger than one chunk, and with the dashes of a boundary in it.
  const file = `${lines.join('\n')}\n${'\r\n--'.repeat(40_000)}\n`.replaceAll('\r\n--', '    ');
  expect((await visitor.get(at)).text).toContain(`action="${at}/parts/1"`);
  expect((await send(`${at}/parts/1`, { file })).headers.get('location')).toBe(at);
  const shown = (await visitor.get(at)).text;
  expect(shown).toMatch(/2 records<\/strong> uploaded/);
  expect(shown).toContain(createHash('sha256').update(file).digest('hex'));
  expect(shown).toContain(`action="${at}/parts/2"`);
  expect((await visitor.post(`${at}/start`, [])).location).toBe(at);
  const jobId = at.split('/').at(-1)!;
  const job = await untilJob(service.database, jobId, ({ pausedBecause }) => pausedBecause === 'canary');
  expect(job).toMatchObject({ name: 'By hand', succeeded: 1, accepted: 2 });
  const ofSupplier = await service.call('GET', `/v1/data-import/import-jobs/${jobId}/`, { token: client.token });
  expect(ofSupplier.body).toMatchObject({ status: 'PAUSED' });
  const { rows } = await service.database.pool.query(
    `select action, actor_name from audit_entry where subject = $1 order by at`,
    [`import-jobs/${jobId}`],
  );
  expect(rows).toEqual(
    ['import_job.opened', 'import_job.started'].map((action) => ({ action, actor_name: 'staff all / Ada' })),
  );
  expect(await (await send(`${at}/parts/2`, { file })).text()).toContain('has started and accepts no new');
});

test('shows a rejected form again, with its values and each fault beside its field', async () => {
  const fields: [string, string][] = [
    ...VALIDATE.slice(0, 2),
    ['goal', 'CREATE'],
    ['name', 'Kept "name"'],
    ['canary', '0'],
  ];
  const rejected = await send('/jobs/new', { fields });
  const text = await rejected.text();
  expect(rejected.status).toBe(400);
  expect(text).toMatch(/<option value="CREATE" selected>/);
  expect(text).toMatch(/name="name"[^>]* value="Kept &quot;name&quot;"/);
  for (const name of ['canary', 'operations_team_name']) {
    expect(text).toMatch(new RegExp(`name="${name}"[^>]* aria-invalid="true" aria-describedby="${name}-fault"`));
    expect(text).toMatch(new RegExp(`id="${name}-fault">[A-Z][^<]+<`));
  }
  expect(text).toMatch(
    /role="alert">\s*<p>Canary: [^<]+<\/p>\s*<p>Operations team: [^<]+<\/p>\s*<p>Nothing was stored/,
  );
  const inFrench = await send('/jobs/new', { fields, headers: { 'accept-language': 'fr' } });
  expect(await inFrench.text()).toMatch(/id="operations_team_name-fault">[^<]*[éà]/);
  const noJson = await send('/jobs/new', { fields: VALIDATE, file: '{' });
  expect(await noJson.text()).toMatch(/name="manifest"[^>]* aria-invalid="true"/);
});

test('keeps every byte of a part, and accepts it again', async () => {
  const at = await open();
  const content = Buffer.from(`${someLines(3_000)}{"a": "\u00e9 --x \\r\\n--"}\r\n\n`);
  expect((await send(`${at}/parts/1`, { file: content })).status).toBe(303);
  expect((await send(`${at}/parts/1`, { file: content, headers: { 'hx-request': 'true' } })).status).toBe(200);
  const pages = await storedPages(service, at.split('/').at(-1)!);
  expect(pages.reduce((sum, { lines }) => sum + lines, 0)).toBe(3_001);
  const { rows } = await service.database.pool.query('select part, sha256 from import_job_part where job_id = $1', [
    at.split('/').at(-1),
  ]);
  expect(rows).toEqual([{ part: 1, sha256: createHash('sha256').update(content).digest('hex') }]);
});

test('opens a job with a manifest, and shows why another one is not accepted', async () => {
  const manifest = { type: 'gangway-manifest/1', import_supplier: 'SUPPLIER_FR', kinds: {} };
  const refused = await send('/jobs/new', { fields: VALIDATE, file: JSON.stringify(manifest) });
  expect(refused.status).toBe(400);
  expect(await refused.text()).toContain('The manifest has no totals of accounts.');
  const broken = await send('/jobs/new', { fields: VALIDATE, file: '{' });
  expect(broken.status).toBe(400);
  const missing = await send('/jobs/new', { fields: [...VALIDATE.slice(0, 2), ['goal', 'CREATE']] });
  expect(await missing.text()).toContain('operations_team_name');
});

test('rejects a file before it is read: without rights, token or job, and above the limit', async () => {
  const at = await open();
  const viewer = await site.signedIn('read');
  const file = someLines(1);
  const cases: [string, number, string, Sent][] = [
    ['a viewer', 403, `${at}/parts/1`, { by: viewer, file }],
    ['another site', 403, `${at}/parts/1`, { headers: { origin: 'https://elsewhere.example' }, file }],
    ['a wrong token', 403, `${at}/parts/1`, { fields: [['form_token', 'AAAA']], file }],
    ['no session', 303, `${at}/parts/1`, { headers: { cookie: '' }, file }],
    ['no job', 404, `/jobs/${UNKNOWN_JOB}/parts/1`, { file }],
    ['a wrong number', 400, `${at}/parts/0`, { file }],
    ['no file', 400, `${at}/parts/1`, {}],
    ['another format', 400, `${at}/parts/1`, { file: 'number;name\n1;x\n' }],
    ['a large manifest', 413, '/jobs/new', { fields: VALIDATE, file: Buffer.alloc(1_200_000, ' ') }],
  ];
  for (const [name, status, path, sent] of cases) {
    expect({ name, status: (await send(path, sent)).status }).toEqual({ name, status });
  }
  const raw = (body: string, type: string) =>
    fetch(`${site.url}${at}/parts/1`, {
      method: 'POST',
      body,
      headers: { origin: site.url, cookie: visitor.cookie, 'content-type': type },
    });
  const multipart = 'multipart/form-data; boundary=b';
  const field = (name: string, value: string) =>
    `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  for (const [body, type, status] of [
    ['form_token=x', 'application/x-www-form-urlencoded', 415],
    ['--b\r\nno end of a head', multipart, 400],
    [`${field('form_token', 'x'.repeat(70_000))}--b--`, multipart, 400],
    [`${field('form_token', 'x')}--b--\r\n`, multipart, 403],
  ] as const) {
    expect({ body: body.slice(0, 30), status: (await raw(body, type)).status }).toEqual({
      body: body.slice(0, 30),
      status,
    });
  }
  expect(await storedPages(service, at.split('/').at(-1)!)).toEqual([]);
  expect((await viewer.get('/jobs/new')).status).toBe(403);
  expect((await viewer.get(at)).text).not.toContain('data-parts=');
  expect((await visitor.post(`${at}/start`, [])).text).toContain('The job has no parts.');
});

test('lets people of a supplier open and upload jobs of their own only', async () => {
  await service.database.pool.query(
    `insert into import_supplier (code, name, status) values ('OTHER', 'Other', 'Ongoing') on conflict do nothing`,
  );
  const other = await (await jobClient(service, ['OTHER'])).open();
  const wanted = { organisation: 'Acme', name: 'Reader', role: 'supplier', import_suppliers: ['SUPPLIER_FR'] };
  const made = await service.call('POST', '/v1/operations/api-keys/', { token: service.operatorToken, body: wanted });
  const by = site.visitor();
  expect((await by.signIn(made.body.api_key)).status).toBe(303);
  const form = (await by.get('/jobs/new')).text;
  expect(form).toContain('<option value="SUPPLIER_FR">');
  expect(form).not.toContain('OTHER');
  const opened = await send('/jobs/new', { fields: VALIDATE, by, page: '/jobs' });
  const at = opened.headers.get('location')!;
  expect((await send(`${at}/parts/1`, { file: someLines(2), by, page: '/jobs' })).headers.get('location')).toBe(at);
  expect((await by.get(at)).text).toMatch(/2 records<\/strong> uploaded/);
  const { rows } = await service.database.pool.query('select organisation from import_job where id = $1', [
    at.split('/').at(-1),
  ]);
  expect(rows).toEqual([{ organisation: 'Acme' }]);
  expect((await by.post(`${at}/start`, [])).location).toBe(at);
  await untilJob(service.database, at.split('/').at(-1)!);
  const foreign = await send('/jobs/new', {
    fields: [['import_supplier', 'OTHER'], ...VALIDATE.slice(1)],
    by,
    page: '/jobs',
  });
  expect(await foreign.text()).toContain('No valid API key may import for this import supplier.');
  for (const path of [`/jobs/${other}/parts/1`, `/jobs/${UNKNOWN_JOB}/parts/1`]) {
    expect((await send(path, { file: someLines(1), by, page: '/jobs' })).status).toBe(404);
  }
  expect(await storedPages(service, other)).toEqual([]);
});
