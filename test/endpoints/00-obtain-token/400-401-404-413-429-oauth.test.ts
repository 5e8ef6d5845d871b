import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FAILED_TRIES_MAX } from '../../../src/access/tokens/failed-tries.store.ts';
import { startService } from '../../support/harness.ts';

// What the OAuth endpoint rejects, in the format of RFC 6749, 5.2.

const service = await startService({ settings: { HTTP_PROXIES: '1' } });
afterAll(() => service.stop());

let key: { id: string; api_key: string };
let other: { id: string; api_key: string };
const createKey = async (name: string) =>
  (
    await service.call('POST', '/v1/operations/api-keys/', {
      token: service.operatorToken,
      body: { organisation: 'Acme', name, role: 'operator' },
    })
  ).body;
beforeAll(async () => {
  key = await createKey('importer');
  other = await createKey('other');
});

test('publishes no metadata behind a proxy without a public address', async () => {
  expect(await service.call('GET', '/.well-known/oauth-authorization-server')).toMatchObject({
    status: 404,
    body: { code: 'not_found', detail: expect.stringContaining('API_URL') },
  });
});

const TYPE = 'application/x-www-form-urlencoded';
const post = (body: string, headers: Record<string, string> = {}, query = '') =>
  service.call('POST', `/oauth/token${query}`, { body, headers: { 'content-type': TYPE, ...headers } });
const GRANT = 'grant_type=client_credentials';
const credentials = () => `client_id=${key.id}&client_secret=${key.api_key}`;
const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });

test.each<[string, string, () => ReturnType<typeof post>]>([
  ['invalid_request', 'without a grant', () => post(credentials())],
  ['invalid_request', 'with an empty body', () => post('')],
  ['invalid_request', 'with a repeated parameter', () => post(`${GRANT}&${GRANT}&${credentials()}`)],
  [
    'invalid_request',
    'with two ways of authentication',
    () => post(`${GRANT}&${credentials()}`, basic(`${key.id}:${key.api_key}`)),
  ],
  [
    'invalid_request',
    'with two client ids',
    () => post(`${GRANT}&client_id=${other.id}`, basic(`${key.id}:${key.api_key}`)),
  ],
  ['invalid_request', 'with credentials in the address', () => post(GRANT, {}, `?${credentials()}`)],
  ['invalid_request', 'as JSON', () => post('{}', { 'content-type': 'application/json' })],
  ['invalid_request', 'with an unknown encoding', () => post(GRANT, { 'content-encoding': 'x-none' })],
  [
    'unsupported_grant_type',
    'for a password',
    () => post(`grant_type=password&username=a&password=b&${credentials()}`),
  ],
  [
    'unsupported_grant_type',
    'for a refresh token',
    () => post(`grant_type=refresh_token&refresh_token=gwr_x&${credentials()}`),
  ],
  ['unsupported_grant_type', 'for a word of JavaScript', () => post(`grant_type=__proto__&${credentials()}`)],
  ['invalid_scope', 'with a scope', () => post(`${GRANT}&scope=admin&${credentials()}`)],
])('%s: a request %s', async (error, _what, call) => {
  const { status, body, headers } = await call();
  expect({ status, body }).toEqual({ status: 400, body: { error, error_description: expect.any(String) } });
  expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  expect(JSON.stringify(body)).not.toContain(key.api_key);
});

test.each<[string, () => ReturnType<typeof post>]>([
  ['no credentials', () => post(GRANT)],
  ['no secret', () => post(`${GRANT}&client_id=${key.id}`)],
  ['no client id', () => post(`${GRANT}&client_secret=${key.api_key}`)],
  ['another scheme', () => post(GRANT, { authorization: `Bearer ${service.operatorToken}` })],
  ['no base64', () => post(GRANT, { authorization: 'Basic ?' })],
  ['no colon', () => post(GRANT, basic(key.api_key))],
  ['a malformed encoding', () => post(GRANT, basic(`%E0%A4%A:${key.api_key}`))],
  ['an unknown key', () => post(GRANT, basic(`${key.id}:gwk_${'A'.repeat(43)}`))],
  ['the key of another client', () => post(GRANT, basic(`${key.id}:${other.api_key}`))],
  ['the beginning of another key', () => post(GRANT, basic(`${other.api_key.slice(0, 12)}:${key.api_key}`))],
  ['an access token', () => post(GRANT, basic(`${key.id}:${service.operatorToken}`))],
  ['a NUL', () => post(GRANT, basic(`${key.id}\0:${key.api_key}`))],
  ['a secret of a thousand characters', () => post(`${GRANT}&client_id=${key.id}&client_secret=${'x'.repeat(1_000)}`)],
])('invalid_client: %s', async (_what, call) => {
  const { status, body, headers } = await call();
  expect({ status, body }).toEqual({
    status: 401,
    body: { error: 'invalid_client', error_description: expect.any(String) },
  });
  expect(headers).toMatchObject({ 'www-authenticate': 'Basic realm="gangway"', 'cache-control': 'no-store' });
});

test('the key of another client is audited as a refused credential', async () => {
  await post(GRANT, basic(`${key.id}:${other.api_key}`));
  const { rows } = await service.database.pool.query(
    `select after ->> 'begins_with' as begins from audit_entry where action = 'token.refused' and after ->> 'begins_with' = $1`,
    [other.api_key.slice(0, 12)],
  );
  expect(rows.length).toBeGreaterThan(0);
});

test('a revoked key gets no token', async () => {
  const revoked = await createKey('revoked');
  await service.call('DELETE', `/v1/operations/api-keys/${revoked.id}/`, { token: service.operatorToken });
  expect((await post(GRANT, basic(`${revoked.id}:${revoked.api_key}`))).status).toBe(401);
});

test('a body of more than 8 KB is not read', async () => {
  const answer = await post(`${GRANT}&x=${'y'.repeat(9_000)}`);
  expect(answer).toMatchObject({ status: 413, body: { error: 'invalid_request' } });
});

test('shares the limit of failed attempts with obtainToken', async () => {
  const from = { 'x-forwarded-for': '10.0.0.7' };
  const wrong = `${key.api_key.slice(0, 20)}${'A'.repeat(key.api_key.length - 20)}`;
  const query = 'mutation ($key: String!) { obtainToken(input: { APIKey: $key }) { token } }';
  for (let count = 0; count < FAILED_TRIES_MAX.key; count += 1) {
    const body = { query, variables: { key: wrong } };
    expect((await service.call('POST', '/graphql/', { body, headers: from })).status).toBe(200);
  }
  const limited = await post(GRANT, { ...basic(`${key.id}:${key.api_key}`), ...from });
  expect(limited).toMatchObject({ status: 429, body: { error: 'temporarily_unavailable' } });
  expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
  expect((await post(GRANT, { ...basic(`${key.id}:${key.api_key}`), 'x-forwarded-for': '10.0.0.8' })).status).toBe(200);
});

test('a client that sends Bearer gets the challenge of OAuth, and one that sends Token that of the API', async () => {
  const get = (authorization: string) =>
    service.call('GET', '/v1/operations/import-suppliers/', { headers: { authorization } });
  for (const [sent, challenge] of [
    [`Bearer gwa_${'A'.repeat(43)}`, 'Bearer error="invalid_token"'],
    ['Bearer', 'Token'],
    [`Token gwa_${'A'.repeat(43)}`, 'Token'],
    [`Basic ${Buffer.from(`${key.id}:${key.api_key}`).toString('base64')}`, 'Token'],
    [`Bearer Token ${service.operatorToken}`, 'Bearer error="invalid_token"'],
    [`Bearer  ${service.operatorToken}`, 'Bearer error="invalid_token"'],
    [`Bearer ${service.operatorToken}, Token x`, 'Bearer error="invalid_token"'],
  ] as const) {
    const { status, headers } = await get(sent);
    expect({ sent, status, challenge: headers['www-authenticate'] }).toEqual({ sent, status: 401, challenge });
  }
});
