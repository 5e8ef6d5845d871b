import { afterAll, expect, test } from '@jest/globals';
import { errorBody } from '../support/error-body.ts';
import { startService } from '../support/harness.ts';
import { openRaw, rawRequest } from '../support/raw-http.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

/** Sends a request target unchanged; fetch would normalize it. */
async function raw(method: string, path: string, headers: Record<string, string> = {}) {
  const connection = await openRaw(service.url);
  connection.write(rawRequest(method, path, { authorization: `Token ${token}`, connection: 'close', ...headers }));
  try {
    return await connection.answer();
  } finally {
    connection.socket.destroy();
  }
}

test('redirects the root to the documentation', async () => {
  for (const method of ['GET', 'HEAD']) {
    const answer = await raw(method, '/');
    expect({ status: answer.status, location: answer.headers['location'], body: answer.body }).toEqual({
      status: 303,
      location: '/docs/',
      body: '',
    });
  }
  expect((await raw('POST', '/')).status).toBe(404);
});

test.each([
  '/v1',
  '/v1/data-import/',
  '/v2/data-import/validate-account/',
  '/v1/data-import/Validate-Account/',
  '/v1/data-import/validate-account//',
  '//v1/data-import/validate-account/',
  '/v1/data-import/account-transfer-status/SUPPLIER_FR/',
  '/v1/data-import/account-transfer-status/SUPPLIER_FR/a/b/',
  '/v1/data-import/all-account-import-processes/',
  '/v1/data-import/../data-import/nothing/',
  '/v1/data-import/validate-account/%00',
  '/%2e%2e/%2e%2e/etc/passwd',
  '/v1/data-import/%zz/',
  '/healthz',
  '/favicon.ico',
  '/v1/data-import/validate-account;a=b/',
])('answers the unknown path %s with 404 in JSON', async (path) => {
  const answer = await raw('GET', path);
  expect(answer.status).toBe(404);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(JSON.parse(answer.body)).toEqual(errorBody('not_found'));
});

test.each([
  ['GET', '/v1/data-import/account-import-process/process/', 'POST'],
  ['DELETE', '/v1/data-import/account-import-process/create-or-update', 'POST'],
  ['POST', '/v1/data-import/account-transfer-status/SUPPLIER_FR/X/', 'GET, HEAD'],
  ['PATCH', '/v1/data-import/all-account-import-processes/SUPPLIER_FR/', 'GET, HEAD'],
  ['TRACE', '/v1/data-import/validate-account/', 'POST'],
  ['PROPFIND', '/v1/data-import/validate-account/', 'POST'],
  ['POST', '/healthz/live', 'GET, HEAD'],
  ['PATCH', '/v1/operations/import-suppliers/X/', 'GET, HEAD, PUT'],
])('answers %s %s with 405, and Allow %s', async (method, path, allow) => {
  const answer = await raw(method, path);
  expect(answer.status).toBe(405);
  expect(answer.headers['allow']).toBe(allow);
  expect(JSON.parse(answer.body)).toEqual(errorBody('method_not_allowed'));
  expect(answer.body).not.toContain(token);
});

test.each(['OPTIONS', 'GET', 'POST'])('grants no other origin access: %s', async (method) => {
  const asked = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
  for (const path of ['/v1/data-import/validate-account/', '/openapi.json', '/docs/']) {
    const { headers } = await raw(method, path, asked);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  }
});

test('answers HEAD with the headers of GET, and keeps the connection', async () => {
  const connection = await openRaw(service.url);
  connection.write(rawRequest('HEAD', '/healthz/live', {}));
  connection.write(rawRequest('GET', '/healthz/live', { connection: 'close' }));
  const all = await connection.closed();
  expect(all.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  expect(all.match(/"status":"ok"/g)).toHaveLength(1);
});

test('accepts the absolute form of a request target', async () => {
  expect((await raw('GET', 'http://elsewhere.example/healthz/live')).status).toBe(200);
});

test.each(['http://[/healthz/live', 'elsewhere://', 'elsewhere://?x'])(
  'rejects a request target without a path as malformed: %s',
  async (target) => {
    const answer = await raw('GET', target);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'parse_error', errors: [] });
  },
);

test.each([
  '/HEALTHZ/live',
  '/healthz//live',
  '//healthz/live',
  '/healthz/live//',
  '/healthz/live/.',
  '/healthz/./live',
  '/healthz%2flive',
  '/healthz/%6cive',
  '/healthz/live%2f',
  '/healthz/live;v=1',
  '/healthz/live%20',
])('accepts no other spelling of a path without parameters: %s', async (path) => {
  for (const method of ['GET', 'OPTIONS']) expect((await raw(method, path)).status).toBe(404);
});

test('serves a path with and without trailing slash, and lists its methods', async () => {
  for (const path of ['/healthz/live', '/healthz/live/', '/healthz/live?', '/healthz/live/?']) {
    expect((await raw('GET', path)).status).toBe(200);
  }
  for (const path of ['/healthz/live', '/healthz/live/']) {
    expect(await raw('OPTIONS', path)).toMatchObject({ status: 204, headers: { allow: 'GET, HEAD' } });
  }
  expect((await raw('OPTIONS', '*')).status).toBe(404);
  expect((await raw('GET', '/healthz/live', { accept: 'text/html' })).status).toBe(406);
});

test.each(['/v1/data-import/validate-account/?x=%00&y=%ED%A0%80&z=%', '/v1/data-import/validate-account?'])(
  'checks the method before the query: %s',
  async (path) => {
    expect((await raw('GET', path)).status).toBe(405);
  },
);

test('sends request id, no-store and nosniff with every response', async () => {
  for (const [method, path] of [
    ['GET', '/healthz/live'],
    ['GET', '/nowhere'],
    ['GET', '/v1/data-import/validate-account/'],
    ['POST', '/v1/data-import/validate-account/'],
  ] as const) {
    const { headers } = await service.call(method, path);
    expect(headers).toMatchObject({
      'x-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
  }
});

test.each(['abc', 'A.b_c-9', 'x'.repeat(128)])('uses the X-Request-Id %p', async (id) => {
  expect((await service.call('GET', '/nowhere', { headers: { 'x-request-id': id } })).headers['x-request-id']).toBe(id);
});

test.each(['', 'a b', 'x'.repeat(129), 'é', '<script>', 'a;b', '{"a":1}'])(
  'replaces the invalid X-Request-Id %p',
  async (id) => {
    const { headers } = await raw('GET', '/nowhere', { 'x-request-id': id });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  },
);
