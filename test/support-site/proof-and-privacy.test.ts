import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { compactVerify, createLocalJWKSet } from 'jose';
import { workflowIds } from '../../temporal.config.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { createAccounts } from '../support/created-accounts.ts';
import { startService, type Service } from '../support/harness.ts';
import { HOSTILE_MARKUP } from '../support/hostile-markup.ts';
import { jobClient } from '../support/import-jobs.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { message, switchTestOf } from '../support/switching.ts';
import { until } from '../support/until.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

// Certificates, the consistency check, events, and personal data.

const SUPPLIER = 'SUPPLIER_FR';
const DAY_MS = 86_400_000;

let service: Service;
let site: Site;
let staff: Visitor;
let viewer: Visitor;
let receiver: WebhookReceiver;
beforeAll(async () => {
  const { privateKey } = generateKeyPairSync('ed25519');
  const settings = {
    RECONCILIATION_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    WEBHOOK_PRIVATE_ADDRESSES: 'true',
    DISPATCH_EVERY_MS: '200',
  };
  service = await startService({ worker: true, settings });
  site = await startSite(service, settings);
  receiver = await startWebhookReceiver();
  staff = await site.signedIn();
  viewer = await site.signedIn('read');
});
afterAll(async () => {
  await receiver.stop();
  await site.stop();
  await service.stop();
});

const query = async (text: string, values: unknown[] = []) =>
  (await service.database.pool.query<any>(text, values)).rows;
const operator = (method: string, path: string) =>
  service.call(method, `/v1/operations/${path}`, { token: service.operatorToken });
const add = (external: string, n: number, more: object = {}) =>
  createAccounts(service.database, SUPPLIER, [
    domesticAccount({ import_supplier: SUPPLIER, external_account_number: external, ...more }, n),
  ]);
const linkIn = (text: string, form: RegExp) => form.exec(text)?.[1]?.replaceAll('&amp;', '&');
const auditOf = (action: string) =>
  query('select actor_name, subject, after, reason from audit_entry where action = $1 order by at', [action]);

/** Starts a reconciliation with the form and waits for its end. @returns its page */
async function compared(fields: [string, string][]): Promise<string> {
  await staff.get('/certificates');
  const started = await staff.post('/certificates', fields);
  expect(started).toMatchObject({ status: 303, location: expect.stringMatching(/^\/certificates\/[0-9a-f-]{36}$/) });
  const path = started.location!;
  await until(
    async () =>
      (await operator('GET', path.slice(1).replace('certificates', 'reconciliations') + '/')).body.status ===
      'COMPLETED',
  );
  return path;
}

test('shows a signed certificate without differences, and offers it as a file', async () => {
  await add('SAME-1', 1);
  const path = await compared([['import_supplier', SUPPLIER]]);
  const { text } = await viewer.get(path);
  for (const said of [
    'The stored data equals the accepted data.',
    'What was checked',
    'verify-certificate',
    'Sums of money',
  ]) {
    expect(text).toContain(said);
  }
  const { jws, certificate } = JSON.parse((await viewer.get(`${path}/file?form=json`)).text);
  const file = await viewer.get(`${path}/file?form=jws`);
  expect(file.headers.get('content-disposition')).toContain('.jws');
  expect(file.text).toBe(jws);
  const keys = (await service.call('GET', '/v1/data-import/certificate-keys/')).body;
  const signed = await compactVerify(jws, createLocalJWKSet(keys));
  expect(JSON.parse(Buffer.from(signed.payload).toString())).toEqual(certificate);
  expect(text).toContain(keys.keys[0].kid);
  expect(text).toContain(`href="${path}/balances.csv"`);
  const balances = await viewer.get(`${path}/balances.csv`);
  expect(balances.headers.get('content-disposition')).toContain('.csv');
  expect(balances.text).toBe('"external_account_number";"balance"\r\n"SAME-1";"0.00"\r\n');
  const list = await viewer.get('/certificates?import_supplier=SUPPLIER_FR');
  expect(list.text).toContain(`href="${path}"`);
  expect((await viewer.get('/certificates/list?import_supplier=NOBODY')).text).toContain(
    'There are no reconciliations.',
  );
  expect(await auditOf('reconciliation.started')).toMatchObject([{ actor_name: 'staff all / Ada' }]);
});

test('accepts the differences of a job from its manifest with a reason', async () => {
  const jobs = await jobClient(service);
  const manifest = { type: 'gangway-manifest/1', kinds: { accounts: { records: 2 } } };
  const jobId = await jobs.open({ goal: 'CREATE', operations_team_name: 'Migration', manifest });
  const record = domesticAccount({ import_supplier: SUPPLIER, external_account_number: 'MANIFEST-1' }, 77);
  await jobs.put(jobId, 1, `${JSON.stringify(record)}\n`);
  await jobs.post(jobId, 'start');
  const hasStatus = async (status: string) => (await operator('GET', `import-jobs/${jobId}/`)).body.status === status;
  await until(() => hasStatus('PAUSED'));
  const path = `/jobs/${jobId}`;
  const { text } = await staff.get(path);
  expect(text).toContain('accounts.records');
  expect(text).toContain('Accept the differences and continue');
  expect((await viewer.get(path)).text).not.toContain('Accept the differences and continue');
  const action = `${path}/accept-differences`;
  await staff.get(path);
  expect((await staff.post(action, [['reason', '']])).status).not.toBe(200);
  expect(await hasStatus('PAUSED')).toBe(true);
  await staff.get(path);
  expect((await staff.post(action, [['reason', 'One was a test customer.']])).status).toBe(303);
  await until(() => hasStatus('COMPLETED'));
  expect((await staff.get(path)).text).toContain('One was a test customer.');
  expect(await auditOf('import_job.differences_accepted')).toMatchObject([
    { actor_name: 'staff all / Ada', reason: 'One was a test customer.' },
  ]);

  const certificate = await compared([['job_id', jobId]]);
  const shown = (await viewer.get(certificate)).text;
  expect(shown).toContain('Manifests of the source');
  expect(shown).toContain('Accepted: One was a test customer.');
  expect(shown).toContain('opening balances');
});

test('lists unexplained differences first, by path, with values for people who may read them', async () => {
  await add('OTHER-1', 2);
  await query(
    `update customer set given_name = 'Changed' where account_id = (select id from account where external_account_number = 'OTHER-1') and position = 0`,
  );
  const path = await compared([['import_supplier', SUPPLIER]]);
  const id = path.split('/').at(-1);
  const [{ listed }] = await query(
    'select max(number) as listed from reconciliation_difference where reconciliation_id = $1',
    [id],
  );
  await query(
    `insert into reconciliation_difference (reconciliation_id, number, subject, key, path, kind, table_name, column_name, reason)
     select $1, 2, 'account', 'OTHER-1', 'notes.1', 'extra', 'note', null, 'note_added'`,
    [id],
  );
  expect(listed).toBe(1);
  const { text } = await viewer.get(path);
  expect(text).toContain('The stored data differs from the accepted data.');
  expect(text).toContain('1 difference has no known reason');
  expect(text).toContain('href="/accounts/SUPPLIER_FR/OTHER-1"');
  expect(text).not.toContain('<code>notes.1</code>');
  const ofPath = linkIn(text, /href="([^"]+)"><code>customers\.\*\.given_name</)!;
  expect((await viewer.get(ofPath)).text).toContain('<code>customers.0.given_name</code>');
  const known = (await viewer.get(`${path}/differences?reason=known`)).text;
  expect(known).toContain('<code>notes.1</code>');
  expect(known).not.toContain('given_name');
  expect((await viewer.get(`${path}/differences?cursor=1`)).text).toContain('There are no more differences.');
  expect(text).not.toContain(`${path}/differences/1`);

  const values = linkIn((await staff.get(path)).text, /href="([^"]+\/differences\/1)"/)!;
  const shown = (await staff.get(values)).text;
  const [{ was }] = await query(
    `select payload -> 'customers' -> 0 ->> 'given_name' as was from import_process where external_account_number = 'OTHER-1'`,
  );
  expect(shown).toMatch(new RegExp(`Accepted</dt>\\s*<dd><code>${was}</code>`));
  expect(shown).toMatch(/Stored<\/dt>\s*<dd><code>Changed<\/code>/);
  expect(await auditOf('reconciliation.values_read')).toMatchObject([
    { actor_name: 'staff all / Ada', subject: 'accounts/SUPPLIER_FR/OTHER-1' },
  ]);
  expect((await viewer.get(values)).status).toBe(403);
  expect((await staff.get(`${path}/differences/9`)).status).toBe(404);
  const progress = await viewer.get(`${path}/progress`, { 'hx-request': 'true' });
  expect(progress.text).toContain('Show the certificate');
});

test('rejects a reconciliation of an unknown supplier or job', async () => {
  await staff.get('/certificates');
  for (const fields of [[], [['import_supplier', 'NOBODY']], [['job_id', 'none']]] as [string, string][][]) {
    expect((await staff.post('/certificates', fields)).status).toBe(400);
  }
  for (const path of [
    'x',
    crypto.randomUUID(),
    `${crypto.randomUUID()}/differences`,
    'x/file',
    'x/balances.csv',
    'x/progress',
  ]) {
    expect({ path, status: (await viewer.get(`/certificates/${path}`)).status }).toEqual({ path, status: 404 });
  }
  expect((await viewer.get('/certificates?cursor=x')).status).toBe(400);
  expect((await viewer.get('/certificates')).text).not.toContain('name="job_id"');
  expect((await viewer.get('/certificates?import_supplier=%00')).text).toContain('There are no reconciliations.');
});

/** Follows a check to its end without scripts. @returns all its pages */
async function checked(visitor: Visitor): Promise<string> {
  let all = '';
  for (let next: string | undefined = '/stuck/check/run'; next !== undefined;) {
    const { text, status } = await visitor.get(next);
    expect(status).toBe(200);
    all += text;
    next = linkIn(text, /href="(\/stuck\/check\/run\/next\?[^"]+)"/);
  }
  return all;
}

test('shows the findings of a check, repairs the selected kinds, and keeps the last result', async () => {
  // An open reconciliation without a work item.
  const [{ id }] = await query(
    `update reconciliation set status = 'RUNNING', ended_at = null where id = (select max(id::text)::uuid from reconciliation) returning id`,
  );
  const run = workflowIds.reconcile(id);
  const tests = await switchTestOf(service);
  await tests.send(message('NOWHERE', 'ACCEPTED', { message_id: 'LOST/1' }));
  expect((await viewer.get('/stuck/check')).text).toContain('No check has run yet.');

  const found = await checked(viewer);
  for (const said of [run, 'open process without a work item', 'href="/messages/LOST%2F1"', 'All findings']) {
    expect(found).toContain(said);
  }
  expect(found).not.toContain('/stuck/check/mend');
  expect((await viewer.get('/stuck/check')).text).toContain('open process without a work item');

  expect(await checked(staff)).toContain('name="kind" value="open_without_work_item"');
  const kind: [string, string] = ['kind', 'open_without_work_item'];
  expect((await staff.post('/stuck/check/mend', [kind])).status).toBe(400);
  expect((await staff.post('/stuck/check/mend', [['confirmed', 'yes']])).status).toBe(400);
  expect(await query('select 1 from work_item where workflow_id = $1', [run])).toEqual([]);
  let answer = await staff.post('/stuck/check/mend', [kind, ['confirmed', 'yes']]);
  let mended = answer.text;
  for (let at = linkIn(answer.text, /name="at" value="([^"]+)"/); at !== undefined;) {
    answer = await staff.post('/stuck/check/mend', [
      ['at', at],
      ['confirmed', 'yes'],
    ]);
    mended += answer.text;
    at = linkIn(answer.text, /name="at" value="([^"]+)"/);
  }
  expect(mended).toContain('1 finding was repaired and audited.');
  expect(await auditOf('check.mended')).toMatchObject([{ actor_name: 'staff all / Ada', after: { subject: run } }]);
  await until(async () => (await operator('GET', `reconciliations/${id}/`)).body.status === 'COMPLETED');
  await until(async () => !(await checked(staff)).includes(run));
  expect((await auditOf('check.completed')).at(-1)).toMatchObject({ after: { found: { message_without_account: 1 } } });
  expect((await staff.get('/stuck/check/run/next?at=made-up')).status).toBe(400);
  const stuck = (await staff.get('/stuck?cause=market_message_unknown_account')).text;
  expect(stuck).toContain('assign it to the right account or dismiss it.');
  expect(stuck).not.toContain('DELETE');
});

test('registers an address, shows its failures, changes its secret once, and removes it', async () => {
  receiver.answer = () => 500;
  await staff.get('/events');
  const id = crypto.randomUUID();
  const fields: [string, string][] = [
    ['id', id],
    ['import_supplier', SUPPLIER],
    ['url', receiver.url],
    ['reason', HOSTILE_MARKUP],
  ];
  const made = await staff.post('/events/endpoints', fields);
  const secret = /whsec_[A-Za-z0-9+/]{43}=/.exec(made.text)![0];
  expect((await staff.post('/events/endpoints', fields)).status).toBe(400);
  expect((await staff.post('/events/endpoints', fields.slice(1))).status).toBe(400);
  const unsafe = { id: crypto.randomUUID(), import_supplier: SUPPLIER, url: 'javascript:alert(1)' };
  expect((await staff.post('/events/endpoints', Object.entries(unsafe))).status).toBe(400);

  await add('TOLD-1', 3);
  const path = `/events/endpoints/${id}`;
  await until(async () => (await viewer.get(path)).text.includes('The receiver responded with status 500.'));
  const failing = (await viewer.get(path)).text;
  for (const said of ['failing', 'Next attempt', 'Events to deliver', '1, the oldest']) expect(failing).toContain(said);
  const hidden = [secret, 'Retry now', 'Create a new secret', HOSTILE_MARKUP];
  expect(hidden.filter((text) => failing.includes(text))).toEqual([]);
  expect(await operator('GET', `event-endpoints/${id}/`)).toMatchObject({
    status: 200,
    body: { endpoint_id: id, events_waiting: 1, waiting_since: expect.any(String), failure: expect.any(String) },
  });

  const stuck = async () => (await viewer.get('/stuck?cause=receiver_unavailable')).text;
  await until(async () => (await stuck()).includes(`href="${path}"`));
  receiver.answer = () => 204;
  receiver.secret = secret;
  await until(async () => {
    await staff.post(`${path}/retry`, []);
    return receiver.taken.length > 0;
  });
  expect(receiver.taken[0]).toMatchObject({ isSigned: true, event: { subject: 'accounts/TOLD-1' } });
  await until(async () => (await staff.get(path)).text.includes('delivering'));

  const changed = await staff.post(`${path}/secret`, [['seen', '']]);
  expect(changed.text).toContain('deliveries also carry a signature');
  expect((await staff.post(`${path}/secret`, [['seen', '']])).text).toContain(
    'Someone else has changed the secret since this page was loaded.',
  );
  expect((await viewer.get(path)).text).toContain('the new one and, until');
  expect(await auditOf('event_endpoint.secret_changed')).toHaveLength(1);
  expect(await staff.post(`${path}/remove`, [['reason', 'over']])).toMatchObject({ status: 303, location: '/events' });
  expect((await viewer.get('/events')).text).toContain('removed');
  expect((await staff.post(`${path}/remove`, [])).status).toBe(404);
  expect((await staff.post('/events/endpoints/x/secret', [])).status).toBe(404);
  expect((await viewer.get('/events/endpoints/x')).status).toBe(404);
  expect(await operator('GET', `event-endpoints/${crypto.randomUUID()}/`)).toMatchObject({ status: 404 });
});

test('lists events of a supplier and of an account, newest first, also on the page of the account', async () => {
  await add('FEED-1', 4);
  const feed = (await viewer.get(`/events/feed?import_supplier=${SUPPLIER}`)).text;
  expect(feed).toContain('href="/accounts/SUPPLIER_FR/FEED-1"');
  expect(feed).toContain('account.created');
  const one = await operator('GET', `events/?import_supplier=${SUPPLIER}&external_account_number=FEED-1`);
  expect(one).toMatchObject({
    status: 200,
    body: [{ type: 'import.account.created.v1', subject: 'accounts/FEED-1', data: { import_supplier: SUPPLIER } }],
  });
  const history = (await viewer.get('/accounts/SUPPLIER_FR/FEED-1/history')).text;
  expect(history).toContain(`href="/events/feed?import_supplier=${SUPPLIER}&amp;external_account_number=FEED-1"`);
  await query(
    `insert into event (import_supplier, position, id, type, subject, data, occurred_at)
     select '${SUPPLIER}', (select max(position) from event) + n, gen_random_uuid(), 'switch.pending.v1', 'accounts/FULL', '{"external_account_number": "FULL"}', now() from generate_series(1, 5000) n`,
  );
  const page = (await viewer.get('/accounts/SUPPLIER_FR/FEED-1/history')).text;
  expect(page).toContain('Show earlier events');
  const further = linkIn(page, /href="(\/events\/feed\?[^"]+)"/)!;
  expect((await viewer.get(further)).text).toContain('account.created');
  const first = await operator('GET', `events/?import_supplier=${SUPPLIER}`);
  expect(first.body).toHaveLength(50);
  const next = /<([^>]+)>; rel="next"/.exec(first.headers['link']!)![1]!;
  const second = await service.call('GET', next, { token: service.operatorToken });
  expect(second.body[0].cursor.split('-')[0]).toBe(String(Number(first.body.at(-1).cursor.split('-')[0]) - 1));
  for (const wrong of ['', `import_supplier=${SUPPLIER}&before=x`]) {
    expect(await operator('GET', `events/?${wrong}`)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    });
  }
  expect((await viewer.get('/events/feed?import_supplier=%00')).status).toBe(200);
});

const person = (external: string, more: [string, string][] = []): [string, string][] => [
  ['import_supplier', SUPPLIER],
  ['external_account_number', external],
  ...more,
];

test('handles an erasure that must wait, an unknown account, and an account that was never created', async () => {
  const token = await service.supplierToken([SUPPLIER]);
  const body = domesticAccount({ import_supplier: SUPPLIER, external_account_number: 'STAGED-1' }, 6);
  await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
  await staff.get('/personal-data');
  const preview = (external: string) => staff.post('/personal-data/erasures/preview', person(external));
  const jobs = await jobClient(service);
  const jobId = await jobs.open();
  await query(`update import_job set status = 'VALIDATING' where id = $1`, [jobId]);
  expect((await preview('STAGED-1')).text).toContain('are running');
  expect((await operator('GET', `erasures/${SUPPLIER}/STAGED-1/`)).body.code).toBe('erasure_must_wait');
  await query(`update import_job set status = 'CANCELLED', ended_at = now() where id = $1`, [jobId]);
  expect((await preview('STAGED-1')).text).toContain('The account was never created');
  expect((await preview('NOBODY')).status).toBe(404);
  expect((await operator('GET', `erasures/${SUPPLIER}/NOBODY/`)).status).toBe(404);
  expect((await operator('GET', `erasures/${SUPPLIER}/STAGED-1/?customer=first`)).status).toBe(400);
});

test('previews an erasure, requires the typed number, and shows the same in the receipt', async () => {
  await add('GONE-1', 5, { notes: [{ body: HOSTILE_MARKUP }] });
  await staff.get('/personal-data');
  const preview = await staff.post('/personal-data/erasures/preview', person('GONE-1'));
  expect(preview.text).toContain('Nothing has been erased yet.');
  const told = (await operator('GET', `erasures/${SUPPLIER}/GONE-1/`)).body;
  expect(told).toMatchObject({ external_account_number: 'GONE-1', customer: null, is_created: true });
  expect(told.tables.map(({ table }: any) => table)).toEqual(expect.arrayContaining(['customer', 'note']));
  const reason: [string, string] = ['reason', `asked ${HOSTILE_MARKUP}`];
  const erase = (more: [string, string][]) => staff.post('/personal-data/erasures', person('GONE-1', more));
  expect((await erase([reason, ['typed', 'GONE-2']])).text).toContain('Nothing was erased');
  expect((await erase([['typed', 'GONE-1']])).status).toBe(400);
  expect(await auditOf('person.erased')).toEqual([]);
  const done = await erase([reason, ['typed', 'GONE-1']]);
  expect(done).toMatchObject({
    status: 303,
    location: expect.stringMatching(/^\/personal-data\/receipts\/[0-9a-f-]{36}$/),
  });
  const [entry] = await auditOf('person.erased');
  expect(entry).toMatchObject({ actor_name: 'staff all / Ada' });
  expect(entry.after.tables.filter(({ table }: any) => table !== 'audit_entry')).toEqual(told.tables);
  const receipt = (await viewer.get(done.location!)).text;
  expect(receipt).toContain(entry.after.sha256);
  expect(receipt).not.toContain(HOSTILE_MARKUP);
  expect((await viewer.get('/personal-data')).text).toContain(`href="${done.location}"`);
  expect((await operator('GET', `erasures/${SUPPLIER}/GONE-1/`)).body.tables).toEqual([]);
  expect((await viewer.get('/personal-data/receipts/x')).status).toBe(404);
});

test('exports the stored data of a person as a file, keeps names out of addresses, and shows viewers no form', async () => {
  await add('FILE-1', 7);
  await staff.get('/personal-data');
  const file = await staff.post('/personal-data/exports', person('FILE-1', [['customer', '0']]));
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="person.json"');
  expect(JSON.parse(file.text)).toMatchObject({
    customer: 0,
    tables: { account: [{ external_account_number: 'FILE-1' }] },
  });
  expect(await auditOf('person.exported')).toMatchObject([
    { actor_name: 'staff all / Ada', subject: 'accounts/SUPPLIER_FR/FILE-1' },
  ]);
  expect((await staff.post('/personal-data/exports', person('NOBODY'))).status).toBe(404);
  expect((await viewer.get('/personal-data')).text).not.toContain('<form class="narrow"');
  expect((await viewer.get('/events')).text).not.toContain('Register an endpoint');
});

test('lists retention periods with their settings and the last deletions', async () => {
  expect((await viewer.get('/personal-data')).text).toContain('There was no run yet.');
  await query(
    `update retention set deleted = 42, deleted_before = 30, completed_at = now() - interval '3 days' where class = 'audit'`,
  );
  await query(
    `insert into audit_entry (id, actor_name, action, subject, after) values (gen_random_uuid(), 'retention', 'retention.ended', 'retention', '{"state": "NIGHT_OVER"}')`,
  );
  const { text } = await viewer.get('/personal-data');
  for (const said of ['AUDIT_KEPT_DAYS', '1,095 days', 'it ran out of time', 'late', 'JOB_PARTS_KEPT_DAYS']) {
    expect(text).toContain(said);
  }
  const { body } = await operator('GET', 'retention/');
  expect(body).toMatchObject({ from_hour: 1, until_hour: 5, last_run: { state: 'NIGHT_OVER' } });
  const audit = body.classes.find((one: any) => one.class === 'audit');
  expect(audit).toMatchObject({ setting: 'AUDIT_KEPT_DAYS', kept_days: 1_095, deleted: 42, deleted_by_run: 12 });
  expect(Date.now() - new Date(audit.completed_at).getTime()).toBeGreaterThan(2 * DAY_MS);
});
