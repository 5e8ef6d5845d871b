import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';

const logged: string[] = [];
let service: Service;
let site: Site;
let staff: Visitor;
beforeAll(async () => {
  service = await startService({ temporal: false });
  const keep = (chunk: Buffer, _encoding: string, done: () => void) => (logged.push(String(chunk)), done());
  site = await startSite(service, {}, pino({ level: 'trace' }, new Writable({ write: keep })));
  staff = await site.signedIn();
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

/** Rows of the audit about a subject, newest first, without those of reads by this test. */
async function auditOf(subject: string): Promise<{ action: string }[]> {
  const path = `/v1/operations/audit/?subject=${encodeURIComponent(subject)}`;
  const entries = (await service.call('GET', path, { token: service.operatorToken })).body as { action: string }[];
  return entries.filter(({ action }) => action !== 'operations.read');
}

const supplier = async (code: string) =>
  (await service.call('GET', `/v1/operations/import-suppliers/${code}/`, { token: service.operatorToken })).body;

/** The fields of a form on a page, as the browser would send them. */
function fieldsOf(text: string, action: string): Map<string, string> {
  const form = text.slice(text.indexOf(`method="post" action="${action}"`)).split('</form>')[0]!;
  const plain = (value = '') => value.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  const inputs = [...form.matchAll(/<input\b[^>]*>/g)].map(([input]): [string, string] => [
    /\sname="([^"]*)"/.exec(input)?.[1] ?? '',
    plain(/\svalue="([^"]*)"/.exec(input)?.[1]),
  ]);
  const areas = [...form.matchAll(/<textarea\b[^>]*\sname="([^"]*)"[^>]*>([^<]*)</g)].map(
    ([, name, value]): [string, string] => [name!, plain(value)],
  );
  const selects = [...form.matchAll(/<select\b[^>]*\sname="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g)].map(
    ([, name, options]): [string, string] => [name!, /value="([^"]*)" selected/.exec(options!)?.[1] ?? ''],
  );
  return new Map([...inputs, ...areas, ...selects].filter(([name]) => name !== 'form_token'));
}

/** Opens a page, changes some fields of a form there, and sends all of it. */
async function fillIn(page: string, action: string, changes: Record<string, string>) {
  const fields = fieldsOf((await staff.get(page)).text, action);
  for (const [name, value] of Object.entries(changes)) {
    expect([name, fields.has(name)]).toEqual([name, true]);
    fields.set(name, value);
  }
  return staff.post(action, [...fields]);
}

test('registers and changes an import supplier, and updates only the changed fields of the form', async () => {
  await staff.get('/settings');
  expect(
    await staff.post('/settings/suppliers', [
      ['code', 'NEW/1'],
      ['name', 'Neue "E"'],
    ]),
  ).toMatchObject({ status: 303, location: '/settings/suppliers/NEW%2F1' });
  const path = '/settings/suppliers/NEW%2F1';
  const opened = fieldsOf((await staff.get(path)).text, path);
  expect(opened.get('name')).toBe('Neue "E"');
  // Another person sets an option while the form is open.
  await service.call('PUT', '/v1/operations/import-suppliers/NEW%2F1/', {
    token: service.operatorToken,
    body: { options: { requests_per_second: 7 } },
  });
  const sent = new Map([
    ...opened,
    ['status', 'Paused'],
    ['document_root', 's3://imports/new'],
    ['option.null_means_absent', 'true'],
    ['option.closed_value_sets', '{"sales_channel": ["DIRECT"]}'],
    ['reason', 'wrong tariffs'],
  ]);
  expect(await staff.post(path, [...sent])).toMatchObject({ status: 303, location: path });
  expect(await supplier('NEW%2F1')).toMatchObject({
    status: 'Paused',
    document_root: 's3://imports/new',
    options: { requests_per_second: 7, null_means_absent: true, closed_value_sets: { sales_channel: ['DIRECT'] } },
    reason: 'wrong tariffs',
  });
  expect((await fillIn(path, path, { 'option.null_means_absent': '', document_root: '' })).status).toBe(303);
  expect(await supplier('NEW%2F1')).toMatchObject({ document_root: null, reason: 'wrong tariffs' });
  expect((await supplier('NEW%2F1')).options).not.toHaveProperty('null_means_absent');
  expect(await auditOf('import-suppliers/NEW/1')).toMatchObject([
    { action: 'import_supplier.changed', actor: { name: 'staff all / Ada' } },
    { action: 'import_supplier.changed', actor: { name: 'staff all / Ada' }, reason: 'wrong tariffs' },
    { action: 'import_supplier.changed' },
    { action: 'import_supplier.created', actor: { name: 'staff all / Ada' } },
  ]);
  expect((await staff.get('/settings')).text).toContain('Only these values are accepted: sales channel: DIRECT.');
});

/** The field that was changed, with its fault, in a form that is shown again. */
const faultOf = (changes: object) => new RegExp(`name="${Object.keys(changes)[0]}"[^>]* aria-invalid="true"`);

test.each<Record<string, string>>([
  { 'option.requests_per_second': 'many' },
  { 'option.closed_value_sets': 'DIRECT' },
  { 'option.check_documents': 'perhaps' },
  { document_root: 'http://elsewhere/' },
  { name: '' },
  { status: 'Gone' },
])('rejects changing an import supplier to %j', async (changes) => {
  const path = '/settings/suppliers/SUPPLIER_FR';
  const before = await supplier('SUPPLIER_FR');
  const answer = await fillIn(path, path, changes);
  expect(answer.status).toBe(400);
  expect(answer.text).toMatch(faultOf(changes));
  expect(await supplier('SUPPLIER_FR')).toEqual(before);
});

test('returns 404 for unknown settings', async () => {
  for (const path of ['/settings/suppliers/NOBODY', '/settings/suppliers/a%00b']) {
    expect({ path, status: (await staff.get(path)).status }).toEqual({ path, status: 404 });
  }
  await staff.get('/settings/keys');
  expect((await staff.post('/settings/keys/none/revoke', [])).status).toBe(404);
  await staff.get('/settings/organisations');
  const nobody = await staff.post('/settings/organisations', [
    ['name', 'Nobody'],
    ['reason', 'x'],
  ]);
  expect(nobody.status).toBe(404);
});

test('adds a team once, and changes an organisation with a reason only', async () => {
  const make = () =>
    staff.post('/settings/teams', [
      ['name', 'Spring <b>'],
      ['reason', 'campaign'],
    ]);
  expect((await make()).status).toBe(303);
  expect((await staff.get('/settings/organisations')).text).toContain('Spring &lt;b&gt;');
  await make();
  expect((await staff.get('/settings/organisations')).text).toContain('A team with this name already exists.');
  expect(await auditOf('operations-teams/Spring <b>')).toMatchObject([{ reason: 'campaign' }]);
  expect((await staff.post('/settings/teams', [['name', ' ']])).status).toBe(400);
  const send = (reason: string) =>
    staff.post('/settings/organisations', [
      ['name', 'staff all'],
      ['customer_authorisation', 'on'],
      ['reason', reason],
    ]);
  await staff.get('/settings/organisations');
  expect((await send('')).status).toBe(400);
  await staff.get('/settings/organisations');
  expect((await send('mandates seen')).status).toBe(303);
  expect(await auditOf('organisations/staff all')).toMatchObject([
    { after: { customer_authorisation: true }, reason: 'mandates seen', actor: { name: 'staff all / Ada' } },
  ]);
});

test('sets the limit of creations, and removes it with an empty field', async () => {
  const limit = async () =>
    (
      await service.call('GET', '/v1/operations/settings/create-account-concurrency-limit/', {
        token: service.operatorToken,
      })
    ).body.limit;
  expect((await fillIn('/settings/limit', '/settings/limit', { limit: '50', reason: 'night' })).status).toBe(303);
  expect(await limit()).toBe(50);
  for (const wrong of ['0', 'x', '-1', '1.5']) {
    expect([wrong, (await fillIn('/settings/limit', '/settings/limit', { limit: wrong })).status]).toEqual([
      wrong,
      400,
    ]);
  }
  expect((await staff.get('/settings/limit')).text).toContain('night');
  expect((await fillIn('/settings/limit', '/settings/limit', { limit: '' })).status).toBe(303);
  expect(await limit()).toBeNull();
  expect(await auditOf('settings/create-account-concurrency-limit')).toMatchObject([
    { after: { limit: null }, actor: { name: 'staff all / Ada' } },
    { after: { limit: 50 }, reason: 'night' },
  ]);
});

const NEW_KEY = {
  organisation: 'Acme',
  name: 'importer',
  role: 'supplier',
  scope: 'all',
  import_suppliers: 'SUPPLIER_FR',
};

test('shows a key once, keeps it out of later pages, logs and the audit, and accepts it until it is revoked', async () => {
  const page = await staff.get('/settings/keys');
  const fields = fieldsOf(page.text, '/settings/keys');
  const sent: [string, string][] = [
    ...fields,
    ...Object.entries({ ...NEW_KEY, expires_at: '2099-01-01', reason: 'start' }),
  ];
  const once = new Map(sent);
  const made = await staff.post('/settings/keys', [...once]);
  expect(made.status).toBe(200);
  expect(made.headers.get('cache-control')).toBe('no-store');
  const [secret] = /gwk_[\w-]{43}/.exec(made.text)!;
  expect(made.text).toMatch(/data-copy="new-key"/);
  expect(made.text.replace(/(?:\s|<[^>]+>)+/g, ' ')).toMatch(
    /Organization Acme .*Key importer .*supplier .*Import suppliers SUPPLIER_FR .*Expires 1 Jan 2099/,
  );
  // The form again, as after a reload or a second click, creates no key and shows none.
  const again = await staff.post('/settings/keys', [...once]);
  expect(again.status).toBe(400);
  expect(again.text).toContain('This form was already sent');
  const list = (await staff.get('/settings/keys')).text;
  expect(list).toContain('importer');
  expect(list).toContain('1 Jan 2099');
  const { rows } = await service.database.pool.query('select to_jsonb(audit_entry)::text as entry from audit_entry');
  const everywhere = [again.text, list, ...logged, ...rows.map(({ entry }) => String(entry))];
  expect(everywhere.filter((text) => text.includes(secret))).toEqual([]);
  expect(logged.filter((line) => line.includes('/settings/keys')).length).toBeGreaterThan(2);
  const obtain = async () =>
    (
      await service.call('POST', '/graphql/', {
        body: { query: `mutation { obtainToken(input: { APIKey: "${secret}" }) { token } }` },
      })
    ).body.data?.obtainToken?.token as string | undefined;
  expect(await obtain()).toMatch(/^gwa_/);
  const id = once.get('id')!;
  expect(await staff.post(`/settings/keys/${id}/revoke`, [])).toMatchObject({
    status: 303,
    location: '/settings/keys',
  });
  expect(await obtain()).toBeUndefined();
  expect(await auditOf(`api-keys/${id}`)).toMatchObject([
    { action: 'api_key.revoked', actor: { name: 'staff all / Ada' } },
    { action: 'token.issued' },
    { action: 'api_key.created', actor: { name: 'staff all / Ada' }, reason: 'start' },
  ]);
});

test.each<Record<string, string>>([
  { name: '' },
  { role: 'chief' },
  { scope: 'read' },
  { import_suppliers: 'SUPPLIER_FR, NOBODY' },
  { import_suppliers: '' },
  { expires_at: '2001-01-01' },
  { expires_at: 'soon' },
])('rejects a new key with %j', async (wrong) => {
  const answer = await fillIn('/settings/keys', '/settings/keys', { ...NEW_KEY, ...wrong });
  expect(answer.status).toBe(400);
  expect(answer.text).toMatch(faultOf(wrong));
});

test('rejects a foreign form that issues a key', async () => {
  expect((await staff.post('/settings/keys', [...Object.entries(NEW_KEY), ['id', 'mine']])).status).toBe(400);
});

test('keeps the last key that can issue others', async () => {
  const { rows } = await service.database.pool.query(
    `update api_key set revoked_at = now() where role = 'operator' and scope = 'all' and revoked_at is null
      and id <> (select api_key_id from person_session limit 1) returning id`,
  );
  try {
    const { rows: mine } = await service.database.pool.query('select api_key_id as id from person_session');
    await staff.get('/settings/keys');
    const answer = await staff.post(`/settings/keys/${mine[0].id}/revoke`, []);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('the last active key');
  } finally {
    await service.database.pool.query('update api_key set revoked_at = null where id = any($1)', [
      rows.map(({ id }) => id),
    ]);
  }
});

test('shows viewers the settings without forms', async () => {
  const viewer = await site.signedIn('read');
  for (const path of [
    '/settings',
    '/settings/suppliers/SUPPLIER_FR',
    '/settings/organisations',
    '/settings/keys',
    '/settings/people',
    '/settings/limit',
  ]) {
    const { status, text } = await viewer.get(path);
    const sent = [...text.matchAll(/method="post" action="([^"]*)"/g)].map(([, action]) => action);
    // The columns of a list are the choice of the person.
    const ofFrame = [
      '/find',
      '/sign-out',
      '/language',
      ...(text.includes('class="list"') ? ['/list-view'] : []),
      '/find',
    ];
    expect([path, status, sent]).toEqual([path, 200, ofFrame]);
  }
});

test('ends a session from the page of people, and rejects all copies of its cookie', async () => {
  const key = await site.key();
  const [one, two] = [site.visitor(), site.visitor()];
  await one.signIn(key);
  await two.signIn(key);
  const { rows } = await service.database.pool.query(
    `select id, subject from person_session where created_at = (select max(created_at) from person_session)`,
  );
  const page = (await staff.get('/settings/people')).text;
  expect(page).toContain(rows[0].subject);
  expect(page).toContain('this session');
  expect(page).toContain('127.0.0.1');
  const isIn = async (visitor: Visitor) => (await visitor.get('/settings')).status === 200;
  expect(await staff.post(`/settings/people/sessions/${rows[0].id}/end`, [])).toMatchObject({ status: 303 });
  expect((await staff.get('/settings/people')).text).toContain('1 session ended.');
  expect([await isIn(one), await isIn(two)]).toEqual([true, false]);
  expect((await staff.post(`/settings/people/sessions/${rows[0].id}/end`, [])).status).toBe(404);

  await two.signIn(key);
  const stolen = two.cookie;
  await staff.get('/settings/people');
  expect((await staff.post('/settings/people/end', [['subject', rows[0].subject]])).status).toBe(303);
  expect((await staff.get('/settings/people')).text).toContain('2 sessions ended.');
  two.cookie = stolen;
  expect([await isIn(one), await isIn(two), await isIn(staff)]).toEqual([false, false, true]);
  expect((await staff.post('/settings/people/end', [['subject', rows[0].subject]])).status).toBe(404);
  expect((await staff.post('/settings/people/end', [])).status).toBe(400);
  expect((await auditOf('people')).slice(0, 3)).toMatchObject([
    { action: 'person.sessions_ended', after: { sessions: 2 }, actor: { name: 'staff all / Ada' } },
    { action: 'person.signed_in' },
    { action: 'person.sessions_ended', after: { sessions: 1, subject: rows[0].subject } },
  ]);
});
