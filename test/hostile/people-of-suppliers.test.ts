import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { isForSuppliers } from '../../src/support-site/frame/supplier-pages.ts';
import { sitePages } from '../../src/support-site/index.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { supplierWithEverything, type OwnThings } from '../support/two-suppliers.ts';

// A person of one import supplier who tries to see or change what belongs to another one.

let service: Service;
let site: Site;
let own: OwnThings;
let victim: OwnThings;
let mallory: Visitor;
let cookie: string;
beforeAll(async () => {
  service = await startService({ worker: true });
  site = await startSite(service);
  own = await supplierWithEverything(service, 'MALLORY', 1);
  victim = await supplierWithEverything(service, 'VICTIM', 11);
  await signIn();
});
afterAll(async () => {
  await site?.stop();
  await service?.stop();
});

/** Signs in with a new key, because the requests of a person are limited. */
async function signIn(): Promise<string> {
  const wanted = { organisation: own['organisation'], name: 'M', role: 'supplier', import_suppliers: [own.supplier] };
  const { body } = await service.call('POST', '/v1/operations/api-keys/', {
    token: service.operatorToken,
    body: wanted,
  });
  mallory = site.visitor();
  await mallory.signIn(body.api_key);
  cookie = mallory.cookie;
  return body.id;
}

const query = async (text: string, values: unknown[] = []) => (await service.database.pool.query(text, values)).rows;
const filled = (path: string, things: Readonly<Record<string, string>>) =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(things[name] ?? 'x'));
const secretsOf = () => [
  victim.supplier,
  ...['job', 'wave', 'endpoint', 'reconciliation', 'id'].map((name) => victim[name]!),
];

/** What a response shows of the victim, besides what the request itself contains. */
const leaked = (text: string, sent: string) => secretsOf().filter((one) => text.includes(one) && !sent.includes(one));

/** Sends a request line as it is: clients would normalize the path. */
async function raw(method: string, path: string, headers: Record<string, string> = {}, body?: URLSearchParams) {
  const response = await fetch(site.url + path, {
    method,
    headers: { cookie, origin: site.url, ...headers },
    redirect: 'manual',
    ...(body && { body }),
  });
  return { status: response.status, text: await response.text() };
}

test('shows nothing for spellings of an address of another import supplier', async () => {
  const job = victim['job']!;
  const paths = [
    `/jobs/${job}/`,
    `/jobs//${job}`,
    `/jobs/${job.toUpperCase()}`,
    `/jobs/%7B${job}%7D`,
    `/jobs/${own['job']}/../${job}`,
    `/jobs/${own['job']}%2F..%2F${job}`,
    `/jobs/${own['job']};${job}`,
    `/JOBS/${job}`,
    `/jobs/${job}%00`,
    `/causes/${victim.supplier}`,
    `/causes/${own.supplier}%00${victim.supplier}/counted`,
    `/causes/victim`,
    `/accounts/${victim.supplier}/${victim['external']}`,
    `/accounts/${own.supplier}/${victim['external']}`,
    `/accounts/${own.supplier}%2F..%2F${victim.supplier}/${victim['external']}`,
    `/accounts/${own.supplier}/..%2F${victim.supplier}%2F${victim['external']}`,
    `/accounts/${victim.supplier}/${victim['external']}/history`,
    `/accounts/${victim.supplier}/${victim['external']}/revisions/1`,
    `/suppliers/${victim.supplier}`,
    `/settings/suppliers/${victim.supplier}`,
  ];
  for (const path of paths) {
    for (const [method, headers] of [
      ['GET', {}],
      ['GET', { 'hx-request': 'true' }],
      ['HEAD', {}],
    ] as const) {
      const answer = await raw(method, path, headers);

      expect([path, answer.status < 300]).toEqual([path, false]);
      expect([path, leaked(answer.text, path)]).toEqual([path, []]);
    }
  }
});

test.each<[string, (victim: OwnThings, own: OwnThings) => string]>([
  ['one supplier', (of) => `import_supplier=${of.supplier}`],
  ['an own one first', (of, { supplier }) => `import_supplier=${supplier}&import_supplier=${of.supplier}`],
  ['an own one last', (of, { supplier }) => `import_supplier=${of.supplier}&import_supplier=${supplier}`],
  ['a list', (of) => `import_supplier[]=${of.supplier}`],
  ['a wildcard', () => 'import_supplier=%25'],
  ['a zero byte', () => 'import_supplier=%00'],
  ['no supplier', () => 'import_supplier='],
  ['other names', (of) => `supplier=${of.supplier}&code=${of.supplier}`],
  ['cursors', (of) => `cursor=${of['job']}&before=${of['wave']}`],
  ['more cursors', (of) => `before=${of['reconciliation']}&job_id=${of['job']}`],
  ['an account', (of) => `external_account_number=${of['external']}`],
  ['a search', (of) => `q=${of['external']}`],
  ['rights', () => 'viewer=&role=administrator&reveal=true'],
])('shows nothing of another import supplier by a query with %s', async (_, queryOf) => {
  await signIn();
  const filter = queryOf(victim, own);
  for (const { path } of sitePages.filter((page) => page.method === 'GET' && isForSuppliers(page))) {
    const at = `${filled(path, own)}?${filter}`;
    const { text } = await raw('GET', at);
    expect([at, leaked(text, at)]).toEqual([at, []]);
  }
});

test('changes nothing that belongs to another import supplier or to staff', async () => {
  await signIn();
  await mallory.get('/waves');
  const before = await query(`select id, status from import_job order by id`);
  for (const { path } of sitePages.filter(({ method }) => method === 'POST')) {
    const at = filled(path, victim);
    const { status, text } = await mallory.post(at, [
      ['reason', 'Mine now'],
      ['import_supplier', victim.supplier],
      ['job_id', victim['job']!],
      ['id', victim['id']!],
      ['q', 'nothing'],
    ]);
    const isOwn = path.startsWith('/find') || path === '/jobs/new' || path === '/waves/new';
    // The choice of columns is only in a cookie of the person; these fields name no list.
    const refused = path === '/list-view' ? 400 : 404;
    expect([path, status]).toEqual([path, isOwn ? expect.any(Number) : refused]);
    expect([path, leaked(text, at)]).toEqual([path, []]);
  }
  expect(await query(`select id, status from import_job order by id`)).toEqual(before);
  expect(await query('select from api_key where revoked_at is not null')).toEqual([]);
  const actions = await query(`select distinct action from audit_entry where actor_name like '%(MALLORY)' order by 1`);
  expect(actions.map(({ action }) => action)).toEqual(
    expect.not.arrayContaining(['api_key.revoked', 'throttle.changed', 'reconciliation.started']),
  );
});

test('does not accept a session of another kind, or its cookie elsewhere', async () => {
  await signIn();
  const secret = cookie.replace('gangway=', '');
  for (const forged of [
    `gangway=${secret}x`,
    `gangway=${secret.slice(0, -1)}`,
    `gangway=gws_${'A'.repeat(43)}`,
    'gangway=',
  ]) {
    expect((await raw('GET', '/waves', { cookie: forged })).status).toBe(303);
  }
  // The cookie is no token of the API, and a key or token is no session.
  for (const token of [secret, own.key]) {
    const answer = await service.call('GET', '/v1/data-import/import-jobs/', { token });
    expect(answer.status).toBe(401);
    expect((await raw('GET', '/waves', { cookie: '', authorization: `Bearer ${token}` })).status).toBe(303);
  }
  expect((await raw('POST', '/graphql/', {}, new URLSearchParams({ query: '{ a }' }))).status).toBe(404);
  expect((await raw('POST', '/temporal-codec/decode', {}, new URLSearchParams())).status).toBeGreaterThanOrEqual(403);
});

test('cannot make a session of staff from one of an import supplier', async () => {
  for (const change of [`role = 'administrator'`, `import_suppliers = null`, `import_suppliers = '{}'`]) {
    await expect(query(`update person_session set ${change} where role = 'supplier'`)).rejects.toThrow(
      'check constraint',
    );
  }
});

test('does not read a search of another session', async () => {
  await signIn();
  const staff = await site.signedIn();
  await staff.get('/find');
  const { location } = await staff.post('/find', [['q', 'noemie.zeller.11@example.org']]);
  expect(location).toContain('sealed=');
  const { text } = await mallory.get(location!);
  expect(text).toContain('This link belongs to another session.');
  expect(leaked(text, '')).toEqual([]);
});

test('ends with its key', async () => {
  const id = await signIn();
  expect((await mallory.get('/waves')).status).toBe(200);
  await service.call('DELETE', `/v1/operations/api-keys/${id}/`, { token: service.operatorToken });
  expect((await mallory.get('/waves')).status).toBe(303);
});

test('limits the requests of a person, and not those of staff', async () => {
  await signIn();
  const statuses = new Set<number>();
  for (let sent = 0; sent < 2_000 && !statuses.has(429); sent += 50) {
    const some = await Promise.all(Array.from({ length: 50 }, () => mallory.get('/overview')));
    for (const { status } of some) statuses.add(status);
  }
  expect([...statuses].toSorted()).toEqual([404, 429]);
  expect((await (await site.signedIn()).get('/stuck')).status).toBe(200);
});
