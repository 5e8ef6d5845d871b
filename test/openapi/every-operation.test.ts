import pMap from 'p-map';
import { afterAll, expect, test } from '@jest/globals';
import { UNKNOWN_TOKENS_MAX } from '../../src/access/tokens/check-token.store.ts';
import { declaredOperations } from '../../src/openapi/pages.ts';
import { supportsIdempotencyKey } from '../../src/platform/http/route.ts';
import { claimRequest, hashOfKey, hashOfRequest } from '../../src/platform/idempotency/idempotency-key.store.ts';
import type { OpenApiOperation } from '../../src/platform/http/route-openapi.ts';
import { allRoutes } from '../support/openapi-document.ts';
import { startCutProxy, type CutProxy } from '../support/cut-proxy.ts';
import { startService, type Service } from '../support/harness.ts';

// Behavior that all operations share; each response is also compared with the OpenAPI document.

const operations = declaredOperations(allRoutes()).map(
  (operation) => [operation.openApi.operationId, operation] as const,
);
const ofAccess = (...access: OpenApiOperation['access'][]) =>
  operations.filter(([, operation]) => access.includes(operation.access));
const withBody = () => operations.filter(([, { bodyLimitBytes }]) => bodyLimitBytes !== undefined);

const withKey = () => operations.filter(([, operation]) => supportsIdempotencyKey(operation));

let proxy: CutProxy;
const service = await startService({ throughProxy: async (url) => (proxy = await startCutProxy(url)) });
afterAll(() => service.stop());
const supplierToken = await service.supplierToken(['SUPPLIER_FR']);
// A known token is cached for a second; these are unknown before the database is down.
const fresh = await Promise.all(operations.map(() => service.supplierToken(['SUPPLIER_FR'])));

const pathOf = ({ path, openApi }: OpenApiOperation) =>
  `${path.replace(/:(\w+)/g, (_all, name: string) => encodeURIComponent(String(openApi.path?.[name]?.example ?? name)))}/`;
const ownToken = ({ access }: OpenApiOperation) => (access === 'operator' ? service.operatorToken : supplierToken);
const organisationOf = async (token: string): Promise<string> =>
  (
    await service.database.pool.query(
      `select o.name from access_token t join api_key k on k.id = t.api_key_id join organisation o on o.id = k.organisation_id
      where t.sha256 = sha256(convert_to($1, 'UTF8'))`,
      [token],
    )
  ).rows[0].name;
const call = (operation: OpenApiOperation, options: Parameters<Service['call']>[2]) =>
  service.call(operation.method, pathOf(operation), options);

test.each(ofAccess('supplier', 'operator'))('rejects a request without a token: %s', async (_id, operation) => {
  const refused = (code: string) => ({
    status: 401,
    headers: { 'www-authenticate': 'Token' },
    body: { code, errors: [] },
  });
  expect(await call(operation, {})).toMatchObject(refused('not_authenticated'));
  expect(await call(operation, { token: 'gwa_unknown' })).toMatchObject(refused('authentication_failed'));
  expect(await call(operation, { token: `gwa_${'x'.repeat(43)}` })).toMatchObject(refused('authentication_failed'));
});

test.each(ofAccess('operator'))('rejects suppliers: %s', async (_id, operation) => {
  expect(await call(operation, { token: supplierToken })).toMatchObject({
    status: 403,
    body: { code: 'permission_denied' },
  });
});

test.each(operations)('answers in JSON, and to its own method only: %s', async (_id, operation) => {
  const token = ownToken(operation);
  expect(await call(operation, { token, headers: { accept: 'text/csv' } })).toMatchObject({
    status: 406,
    body: { code: 'not_acceptable' },
  });
  const answer = await service.call('PROPFIND', pathOf(operation), { token });
  expect(answer).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
  expect(answer.headers['allow']).toContain(operation.method);
});

test.each(operations)('rejects unknown query parameters: %s', async (_id, operation) => {
  const answer = await service.call(operation.method, `${pathOf(operation)}?made_up=1&made_up=2&nor-this`, {
    token: ownToken(operation),
  });
  expect(answer).toMatchObject({
    status: 400,
    body: {
      code: 'unknown_query_parameter',
      detail: expect.stringContaining('"made_up"'),
      errors: [
        { code: 'invalid', attr: 'made_up' },
        { code: 'invalid', attr: 'nor-this' },
      ],
    },
  });
});

test.each(withKey())('accepts an Idempotency-Key, once for each request: %s', async (_id, operation) => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const body = operation.bodyLimitBytes === undefined ? {} : { body: '{}' };
  const sent = (key: string) => call(operation, { token, ...body, headers: { 'idempotency-key': key } });
  expect(await sent('not a key')).toMatchObject({ status: 400, body: { code: 'invalid_idempotency_key', errors: [] } });
  // As held by a process that handles the request, and by one that handles another request.
  const claim = {
    organisation: await organisationOf(token),
    keyHash: hashOfKey(new Set(['SUPPLIER_FR']), 'held'),
    requestHash: hashOfRequest({
      method: 'POST',
      path: pathOf(operation),
      query: '',
      body: Buffer.from(body.body ?? ''),
    }),
    account: undefined,
  };
  await claimRequest(service.database, claim, 60);
  const held = await sent('held');
  expect(held).toMatchObject({ status: 409, body: { code: 'idempotency_key_in_use', errors: [] } });
  expect(Number(held.headers['retry-after'])).toBeGreaterThan(0);
  await service.database.pool.query(`update idempotency_key set request_hash = '' where organisation = $1`, [
    claim.organisation,
  ]);
  expect(await sent('held')).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused', errors: [] } });
});

test.each(withBody())('accepts complete JSON within the size limit: %s', async (_id, operation) => {
  const token = ownToken(operation);
  const [broken, foreign, large] = [
    await call(operation, { token, body: '{"half":' }),
    await call(operation, { token, body: '<xml/>', headers: { 'content-type': 'text/xml' } }),
    await call(operation, { token, body: `"${'x'.repeat(operation.bodyLimitBytes as number)}"` }),
  ];
  expect([broken.body.code, foreign.body.code, large.body.code]).toEqual([
    'parse_error',
    'unsupported_media_type',
    'request_too_large',
  ]);
  expect([broken.status, foreign.status, large.status]).toEqual([400, 415, 413]);
});

test('answers an internal error with the same 500 everywhere', async () => {
  const name = new URL(service.settings.DATABASE_URL).pathname.slice(1);
  await service.database.pool.query(`alter database "${name}" set search_path = nowhere`);
  proxy.cut();
  proxy.mend();
  for (const [index, [, operation]] of ofAccess('supplier', 'operator').entries()) {
    expect([operation.openApi.operationId, (await call(operation, { token: fresh[index] })).body.code]).toEqual([
      operation.openApi.operationId,
      'error',
    ]);
  }
  await service.database.pool.query(`alter database "${name}" reset search_path`);
});

test('answers with the same 503 and Retry-After everywhere without the database, and recovers', async () => {
  proxy.cut();
  for (const [index, [, operation]] of ofAccess('supplier', 'operator').entries()) {
    const answer = await call(operation, { token: fresh[index] });
    expect([
      operation.openApi.operationId,
      answer.status,
      answer.body.code,
      Number(answer.headers['retry-after']) > 0,
    ]).toEqual([operation.openApi.operationId, 503, 'service_unavailable', true]);
  }
  expect(await service.call('GET', '/healthz/ready')).toMatchObject({
    status: 503,
    body: { code: 'service_unavailable', database: 'away' },
  });
  proxy.mend();
  expect((await service.call('GET', '/v1/operations/import-suppliers/', { token: service.operatorToken })).status).toBe(
    200,
  );
});

test('throttles an address that sends hundreds of unknown tokens everywhere', async () => {
  let sent = 0;
  const sendUnknown = () =>
    pMap(
      Array.from({ length: UNKNOWN_TOKENS_MAX }, () => `gwa_${String((sent += 1)).padStart(43, '0')}`),
      (token) => service.call('GET', '/v1/operations/audit/', { token }),
      // Several concurrently: unknown callers are answered late.
      { concurrency: 20 },
    );
  const isThrottled = async ([, operation]: ReturnType<typeof ofAccess>[number]) => {
    const request = async () => call(operation, { token: await service.supplierToken(['SUPPLIER_FR']) });
    let answer = await request();
    // Attempts expire after a minute, possibly during this test: then they are repeated.
    if (answer.status !== 429) {
      await sendUnknown();
      answer = await request();
    }
    expect([
      operation.openApi.operationId,
      answer.status,
      answer.body.code,
      Number(answer.headers['retry-after']) > 0,
    ]).toEqual([operation.openApi.operationId, 429, 'throttled', true]);
  };
  await sendUnknown();
  await pMap(ofAccess('supplier', 'operator'), isThrottled, { concurrency: 5 });
});
