import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { readSettings } from '../../src/platform/settings.ts';
import { openIdConnect } from '../../src/support-site/sign-in/open-id-connect.ts';
import { isRefused } from '../../src/vocabulary/refusals.ts';
import { startService, type Service } from '../support/harness.ts';
import { CLIENT, startProvider, type TestProvider } from '../support/provider.ts';
import { startSite, type Site, type Visitor } from '../support/support-site.ts';
import { reservePort } from '../support/test-port.ts';

let service: Service;
let site: Site;
let provider: TestProvider;
beforeAll(async () => {
  service = await startService();
  const url = `http://127.0.0.1:${await reservePort()}`;
  provider = await startProvider(`${url}/sign-in/callback`, {
    ada: { name: 'Ada Martin', email: 'ada@example.com', roles: ['unknown', 'support', 'gangway-operators'] },
    bob: { name: 'Bob', roles: 'support' },
    eve: { name: 'Eve', roles: ['elsewhere'] },
    zoe: { name: 'Zoé', roles: ['people-of-SUPPLIER_FR', 'people-of-UNKNOWN', 'people-of-'] },
    max: { name: 'Max', roles: ['people-of-UNKNOWN'] },
    kim: { name: 'Kim', roles: ['people-of-SUPPLIER_FR', 'support'] },
  });
  site = await startSite(service, settingsFor(url, provider.issuer));
});
afterAll(async () => {
  await site.stop();
  await provider.stop();
  await service.stop();
});

function settingsFor(url: string, issuer: string): Record<string, string> {
  return {
    SUPPORT_SITE_PORT: new URL(url).port,
    SUPPORT_SITE_URL: url,
    SUPPORT_SITE_KEY_SIGN_IN: 'false',
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: CLIENT.id,
    OIDC_CLIENT_SECRET: CLIENT.secret,
    OIDC_ROLES: 'viewer=support; operator=gangway-operators; supplier=people-of-*',
  };
}

/** Path and query to which the provider redirects. */
async function comeBack(visitor: Visitor, login: string, to = '/stuck'): Promise<string> {
  const begun = await visitor.get(`/sign-in/provider?to=${encodeURIComponent(to)}`);
  expect(begun.status).toBe(303);
  const back = new URL(await provider.signIn(begun.location!, login));
  return back.pathname + back.search;
}

test('gives a person the highest role of the provider, and names the person in the audit', async () => {
  const visitor = site.visitor();
  expect((await visitor.get('/sign-in')).text).toContain('Sign in with');
  const back = await comeBack(visitor, 'ada', '/stuck?cause=x');
  expect(await visitor.get(back)).toMatchObject({ status: 303, location: '/stuck?cause=x' });
  const page = await visitor.get('/stuck');
  expect(page.text).toContain('Ada Martin, ada@example.com <small>operator</small>');
  const { rows } = await service.database.pool.query(
    `select actor_name, actor_key_id, after from audit_entry where action = 'person.signed_in'`,
  );
  expect(rows).toEqual([
    {
      actor_name: 'Ada Martin, ada@example.com',
      actor_key_id: null,
      after: { subject: `${provider.issuer}|ada`, role: 'operator', by: 'openid-connect', network: '127.0.0.1' },
    },
  ]);
  expect((await visitor.post('/sign-out', [])).status).toBe(303);
  expect((await visitor.get('/stuck')).status).toBe(303);
});

test('accepts a role as a single string', async () => {
  const visitor = site.visitor();
  await visitor.get(await comeBack(visitor, 'bob'));
  expect((await visitor.get('/stuck')).text).toContain('<small>viewer</small>');
});

test('binds a person to the registered import suppliers of their roles', async () => {
  const visitor = site.visitor();
  await visitor.get(await comeBack(visitor, 'zoe'));
  expect((await visitor.get('/waves')).text).toContain('Zoé (SUPPLIER_FR) <small>supplier</small>');
  expect((await visitor.get('/stuck')).status).toBe(404);
  const { rows } = await service.database.pool.query(
    `select after from audit_entry where action = 'person.signed_in' and actor_name = 'Zoé (SUPPLIER_FR)'`,
  );
  expect(rows).toMatchObject([{ after: { role: 'supplier', import_suppliers: ['SUPPLIER_FR'] } }]);
});

test('rejects a person of import suppliers that are not registered', async () => {
  const visitor = site.visitor();
  const answer = await visitor.get(await comeBack(visitor, 'max'));
  expect(answer.status).toBe(403);
  expect(answer.text).toContain('import suppliers that are not registered');
});

test('gives a person of staff their role, although they have an import supplier', async () => {
  const visitor = site.visitor();
  await visitor.get(await comeBack(visitor, 'kim'));
  expect((await visitor.get('/stuck')).text).toContain('Kim <small>viewer</small>');
});

test('rejects a person without a known role', async () => {
  const visitor = site.visitor();
  const answer = await visitor.get(await comeBack(visitor, 'eve'));
  expect(answer.status).toBe(403);
  expect(answer.text).toContain('did not assign you a role of this site');
  expect((await visitor.get('/stuck')).status).toBe(303);
});

test('rejects an answer of the provider to another attempt, from another browser, or a second time', async () => {
  const visitor = site.visitor();
  const back = await comeBack(visitor, 'ada');
  const other = site.visitor();
  expect((await other.get(back)).text).toContain('was not started in this browser');
  await comeBack(other, 'ada');
  // The answer to another attempt.
  expect((await other.get(back)).text).toContain('does not match this sign-in');
  expect((await visitor.get(back.replace(/code=[^&]*/, 'code=wrong'))).status).toBe(403);
  expect((await visitor.get(back)).text).toContain('was not started in this browser');
  expect((await visitor.get('/stuck')).status).toBe(303);
});

test('shows a message after the person declines at the provider', async () => {
  const visitor = site.visitor();
  const begun = await visitor.get('/sign-in/provider');
  const state = new URL(begun.location!).searchParams.get('state')!;
  const answer = await visitor.get(
    `/sign-in/callback?error=access_denied&state=${state}&iss=${encodeURIComponent(provider.issuer)}`,
  );
  expect(answer).toMatchObject({ status: 403 });
  expect(answer.text).toContain('The identity provider rejected the sign-in.');
});

test('shows a message while the provider is away, and signs in when it is back', async () => {
  const url = `http://127.0.0.1:${await reservePort()}`;
  const away = await startSite(service, settingsFor(url, `http://127.0.0.1:${await reservePort()}`));
  try {
    const answer = await away.visitor().get('/sign-in/provider');
    expect(answer.status).toBe(503);
    expect(answer.text).toContain('The identity provider is unavailable');
  } finally {
    await away.stop();
  }
});

test('reads a secret that was replaced during the sign-in before it uses the answer', async () => {
  let secret = 'former';
  const secretNow = {
    value: () => secret,
    readAgain: async () => {
      secret = CLIENT.secret;
    },
  };
  const settings = readSettings(settingsFor(site.url, provider.issuer)) as Parameters<typeof openIdConnect>[0];
  const way = openIdConnect(settings, secretNow);
  const { address, attempt } = await way.begin('/');
  const back = new URL(await provider.signIn(address, 'ada'));
  expect(await way.finish(back.search.slice(1), attempt)).toMatchObject({ role: 'operator' });
});

test.each([
  [90, undefined],
  [30, 'operator'],
])('reads an ID token that was issued %d seconds in the future as role %s', async (seconds, role) => {
  const settings = readSettings(settingsFor(site.url, provider.issuer)) as Parameters<typeof openIdConnect>[0];
  const secret = { value: () => CLIENT.secret, readAgain: async () => {} };
  const way = openIdConnect(settings, secret, { now: () => new Date(Date.now() - seconds * 1_000) });
  const { address, attempt } = await way.begin('/');
  const back = new URL(await provider.signIn(address, 'ada'));
  const person = await way.finish(back.search.slice(1), attempt);
  expect(isRefused(person) ? undefined : person.role).toBe(role);
});
