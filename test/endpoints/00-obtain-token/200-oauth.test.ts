import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';
import { openRaw, rawRequest } from '../../support/raw-http.ts';

// Tokens by OAuth 2.0 client credentials (RFC 6749, 4.4), and how libraries find the endpoint (RFC 8414).

const service = await startService();
const named = await startService({ settings: { API_URL: 'https://gangway.example/', HTTP_PROXIES: '1' } });
afterAll(() => Promise.all([service.stop(), named.stop()]));

let key: { id: string; api_key: string };
beforeAll(async () => {
  const body = { organisation: 'Acme', name: 'importer', role: 'operator' };
  key = (await service.call('POST', '/v1/operations/api-keys/', { token: service.operatorToken, body })).body;
});

const METADATA = '/.well-known/oauth-authorization-server';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const post = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  service.call('POST', '/oauth/token', { body: String(new URLSearchParams(form)), headers: { ...FORM, ...headers } });
const basic = (id: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
});
const GRANT = { grant_type: 'client_credentials' };

test.each([
  ['in the form', () => post({ ...GRANT, client_id: key.id, client_secret: key.api_key })],
  ['in the header', () => post(GRANT, basic(key.id, key.api_key))],
  ['in the header, encoded like a form', () => post(GRANT, basic(key.id.replaceAll('-', '%2D'), key.api_key))],
  ['with the id in both', () => post({ ...GRANT, client_id: key.id }, basic(key.id, key.api_key))],
  ['by the first characters of the key', () => post(GRANT, basic(key.api_key.slice(0, 12), key.api_key))],
  ['with an empty scope', () => post({ ...GRANT, scope: '' }, basic(key.id, key.api_key))],
])('issues a token to a client that is authenticated %s', async (_how, call) => {
  const { status, body, headers } = await call();
  expect({ status, body }).toEqual({
    status: 200,
    body: { access_token: expect.stringMatching(/^gwa_/), token_type: 'Bearer', expires_in: 3_600 },
  });
  expect(headers).toMatchObject({ 'cache-control': 'no-store', pragma: 'no-cache' });
  for (const scheme of ['Bearer', 'bearer', 'Token']) {
    const used = { headers: { authorization: `${scheme} ${body.access_token}` } };
    expect((await service.call('GET', '/v1/operations/import-suppliers/', used)).status).toBe(200);
  }
});

test('records the token in the audit as obtainToken does', async () => {
  await post(GRANT, basic(key.id, key.api_key));
  const { rows } = await service.database.pool.query(
    `select after from audit_entry where action = 'token.issued' and subject = $1 order by at desc limit 1`,
    [`api-keys/${key.id}`],
  );
  expect(rows).toMatchObject([{ after: { by: 'key', network: expect.any(String) } }]);
});

test('stores only the access token', async () => {
  const rows = async () =>
    (await service.database.pool.query('select kind from access_token where api_key_id = $1', [key.id])).rows;
  const before = await rows();
  await post(GRANT, basic(key.id, key.api_key));
  const after = await rows();
  expect(after.length).toBe(before.length + 1);
  expect(after.filter(({ kind }) => kind !== 'access')).toEqual([]);
});

test('publishes its metadata with its public address, and without one with that of the connection', async () => {
  for (const [one, issuer] of [
    [service, service.url],
    [named, 'https://gangway.example'],
  ] as const) {
    expect(await one.call('GET', METADATA)).toMatchObject({
      status: 200,
      body: {
        issuer,
        token_endpoint: `${issuer}/oauth/token`,
        token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
        grant_types_supported: ['client_credentials'],
        response_types_supported: [],
        service_documentation: `${issuer}/docs/`,
      },
    });
    const connection = await openRaw(one.url);
    const stranger = { host: 'stranger.example', 'x-forwarded-host': 'stranger.example', connection: 'close' };
    connection.write(rawRequest('GET', METADATA, stranger));
    expect(JSON.parse((await connection.answer()).body).issuer).toBe(issuer);
    await connection.closed();
  }
});

test('serves one method each, without a query', async () => {
  expect(await service.call('GET', '/oauth/token')).toMatchObject({ status: 405, headers: { allow: 'POST' } });
  expect(await service.call('POST', METADATA, { body: {} })).toMatchObject({
    status: 405,
    headers: { allow: 'GET, HEAD' },
  });
  expect(await service.call('GET', `${METADATA}?x=1`)).toMatchObject({
    status: 400,
    body: { code: 'unknown_query_parameter' },
  });
  for (const [method, path] of [
    ['POST', '/oauth/token'],
    ['GET', METADATA],
  ] as const) {
    expect((await service.call(method, path, { headers: { accept: 'text/html' } })).status).toBe(406);
  }
});
