import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { sitePages } from '../../src/support-site/index.ts';
import { leastRoleFor, mayDo } from '../../src/vocabulary/operator-actions.ts';
import { startService, type Service } from '../support/harness.ts';
import { startSite, type Site } from '../support/support-site.ts';

let service: Service;
let site: Site;
beforeAll(async () => {
  service = await startService();
  site = await startSite(service);
});
afterAll(async () => {
  await site.stop();
  await service.stop();
});

test('signs in with an operator key, and rejects the cookie after sign-out', async () => {
  const visitor = site.visitor();
  expect(await visitor.get('/stuck')).toMatchObject({ status: 303, location: '/sign-in?to=%2Fstuck' });
  const signedIn = await visitor.post('/sign-in', [
    ['key', await site.key()],
    ['to', '/stuck?cause=a'],
  ]);
  expect(signedIn).toMatchObject({ status: 303, location: '/stuck?cause=a' });
  expect(signedIn.headers.get('set-cookie')).toMatch(
    /^gangway=gws_[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/,
  );
  const page = await visitor.get('/stuck');
  expect(page.status).toBe(200);
  expect(page.text).toContain('staff all / Ada');
  const stolen = visitor.cookie;
  expect(await visitor.post('/sign-out', [])).toMatchObject({ status: 303, location: '/sign-in?out' });
  visitor.cookie = stolen;
  expect(await visitor.get('/stuck')).toMatchObject({ status: 303, location: '/sign-in?to=%2Fstuck' });
  expect((await visitor.get('/stuck/groups', { 'hx-request': 'true' })).headers.get('hx-redirect')).toBe('/sign-in');
  const { rows } = await service.database.pool.query(
    `select action, actor_name, after from audit_entry where action like 'person.%' order by at`,
  );
  expect(rows).toMatchObject([
    {
      action: 'person.signed_in',
      actor_name: 'staff all / Ada',
      after: { by: 'key', role: 'administrator', network: '127.0.0.1' },
    },
    { action: 'person.signed_out', actor_name: 'staff all / Ada' },
  ]);
});

/** As if its import supplier had been removed from the database. */
async function keyWithoutSuppliers(): Promise<string> {
  const key = await site.key('all', 'supplier');
  await service.database.pool.query('delete from api_key_import_supplier');
  return key;
}

test.each([
  ['a malformed key', async () => 'gwk_wrong'],
  ['a key that was never issued', async () => `gwk_${'a'.repeat(43)}`],
  ["a supplier's key without import suppliers", keyWithoutSuppliers],
  ['a key for market messages only', () => site.key('market_messages')],
])('rejects sign-in with %s', async (_case, key) => {
  const answer = await site.visitor().signIn(await key());
  expect(answer.status).toBe(403);
  expect(answer.text).toContain('This is not a valid key of an operator or a supplier.');
  expect(answer.headers.get('set-cookie')).toBeNull();
});

test('ends a session with its key, after idleness, and at its maximum age', async () => {
  const signedIn = async () => {
    const visitor = await site.signedIn();
    expect((await visitor.get('/stuck')).status).toBe(200);
    return visitor;
  };
  for (const end of [
    `update api_key set revoked_at = now() where id = (select api_key_id from person_session)`,
    `update person_session set last_seen_at = now() - interval '31 minutes'`,
    `update person_session set ends_at = now()`,
  ]) {
    await service.database.pool.query('delete from person_session');
    const visitor = await signedIn();
    await service.database.pool.query(end);
    expect({ end, status: (await visitor.get('/stuck')).status }).toEqual({ end, status: 303 });
  }
});

test('extends a session when a person opens a page, but not by automatic updates', async () => {
  await service.database.pool.query('delete from person_session');
  const visitor = await site.signedIn();
  const idle = async () => {
    const { rows } = await service.database.pool.query(
      `select extract(epoch from now() - last_seen_at)::float8 as idle from person_session`,
    );
    return rows[0].idle as number;
  };
  await service.database.pool.query(`update person_session set last_seen_at = now() - interval '20 minutes'`);
  await visitor.get('/stuck/groups');
  expect(await idle()).toBeGreaterThan(1_000);
  await visitor.get('/stuck');
  expect(await idle()).toBeLessThan(60);
});

test('rejects a form without the token of the session or from another site', async () => {
  const visitor = await site.signedIn();
  await visitor.get('/stuck');
  const send = (fields: [string, string][], headers: Record<string, string> = {}) =>
    visitor.post('/sign-out', fields, headers);
  expect((await send([], { origin: 'https://elsewhere.example' })).status).toBe(403);
  expect((await send([], { origin: 'null' })).status).toBe(403);
  expect((await send([], { 'sec-fetch-site': 'cross-site' })).status).toBe(403);
  const raw = await fetch(`${site.url}/sign-out`, {
    method: 'POST',
    headers: { origin: site.url, cookie: visitor.cookie },
    body: new URLSearchParams({ form_token: Buffer.alloc(32).toString('base64url') }),
    redirect: 'manual',
  });
  expect(raw.status).toBe(403);
  expect((await visitor.get('/stuck')).status).toBe(200);
  expect((await site.visitor().post('/sign-in', [['key', 'x']], { origin: 'https://elsewhere.example' })).status).toBe(
    403,
  );
});

test('rejects sign-ins after ten failed attempts', async () => {
  const visitor = site.visitor();
  const statuses: number[] = [];
  for (let tries = 0; tries < 11; tries += 1) {
    statuses.push((await visitor.signIn(`gwk_${'b'.repeat(43)}`)).status);
  }
  expect(statuses).toEqual([...Array.from({ length: 10 }, () => 403), 429]);
});

test.each([
  ['viewer', 'read', '/stuck/retry'],
  ['operator', 'operate', '/settings/keys'],
] as const)('shows a %s all pages and rejects each form that needs a higher role', async (role, scope, one) => {
  const visitor = await site.signedIn(scope);
  expect((await visitor.get('/stuck')).status).toBe(200);
  const forms = sitePages.filter(({ method, action }) => method === 'POST' && !mayDo(role, action));
  expect(forms.map(({ path }) => path)).toContain(one);
  for (const { path: template, action } of forms) {
    const path = template.replaceAll(/:\w+/g, 'x');
    const answer = await visitor.post(path, []);
    expect({ path, status: answer.status }).toEqual({ path, status: 403 });
    expect(answer.text).toContain(`You need the role ${leastRoleFor(action)} for this; your role is ${role}.`);
  }
});

test('binds the cookie to host and TLS behind TLS', async () => {
  const behind = await startSite(service, { SUPPORT_SITE_URL: 'https://support.example', HTTP_PROXIES: '1' });
  try {
    const answer = await behind
      .visitor()
      .post('/sign-in', [['key', await site.key()]], { origin: 'https://support.example' });
    expect(answer.headers.get('set-cookie')).toMatch(
      /^__Host-gangway=gws_[\w-]{43}; .*; HttpOnly; SameSite=Lax; Secure$/,
    );
    expect(answer.headers.get('strict-transport-security')).toContain('max-age=');
  } finally {
    await behind.stop();
  }
});

test('rejects sign-in by key if the settings disable it', async () => {
  const closed = await startSite(service, { SUPPORT_SITE_KEY_SIGN_IN: 'false' });
  try {
    const visitor = closed.visitor();
    const answer = await visitor.signIn(await site.key());
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(answer.text).toContain('Sign-in is disabled');
  } finally {
    await closed.stop();
  }
});
