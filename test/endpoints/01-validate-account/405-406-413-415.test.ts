import { afterAll, expect, test } from '@jest/globals';
import { errorBody } from '../../support/error-body.ts';
import { startService } from '../../support/harness.ts';
import { domesticAccount } from '../../support/account-payload.ts';
import { gzipSync } from 'node:zlib';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'])(
  'rejects %s, and lists the accepted methods in Allow',
  async (method) => {
    const answer = await service.call(method, '/v1/data-import/validate-account/');
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe('POST');
    if (method !== 'HEAD') expect(answer.body).toEqual(errorBody('method_not_allowed'));
  },
);

test('lists the methods in the answer to OPTIONS, without a body', async () => {
  const answer = await service.call('OPTIONS', '/v1/data-import/validate-account/');
  expect(answer.status).toBe(204);
  expect(answer.headers['allow']).toBe('POST');
  expect(answer.body).toBeUndefined();
});

const validateAccepting = (accept: string) =>
  service.call('POST', '/v1/data-import/validate-account/', {
    token,
    body: domesticAccount({ import_supplier: 'SUPPLIER_FR' }),
    headers: { accept },
  });

test.each(['text/html', 'application/xml, text/plain', 'image/*', 'application/json;q=0', 'application/json-seq'])(
  'rejects a client that accepts only %s, in JSON',
  async (accept) => {
    const answer = await validateAccepting(accept);
    expect(answer.status).toBe(406);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.body).toEqual(errorBody('not_acceptable'));
  },
);

test.each([
  '*/*',
  'application/*',
  'application/json',
  'text/html, application/json;q=0.1',
  'text/html, */*;q=0.8',
  'application/json; charset=utf-8',
])('accepts the Accept header %s', async (accept) => {
  expect((await validateAccepting(accept)).status).toBe(200);
});

const LIMIT = 1_048_576;

/** A valid account of exactly this number of bytes. */
function bodyOf(bytes: number): string {
  const text = JSON.stringify(domesticAccount({ import_supplier: 'SUPPLIER_FR' }));
  return `${text.slice(0, -1)}${' '.repeat(bytes - Buffer.byteLength(text))}}`;
}

const validateBody = (body: string) => service.call('POST', '/v1/data-import/validate-account/', { token, body });

test('accepts a body of exactly the limit, and rejects one byte more as request_too_large with the limit', async () => {
  expect((await validateBody(bodyOf(LIMIT))).status).toBe(200);
  const answer = await validateBody(bodyOf(LIMIT + 1));
  expect(answer.status).toBe(413);
  expect(answer.body).toEqual(errorBody('request_too_large', expect.stringContaining(String(LIMIT))));
});

const body = JSON.stringify(domesticAccount({ import_supplier: 'SUPPLIER_FR' }));

const validateTyped = (headers: Record<string, string>) =>
  service.call('POST', '/v1/data-import/validate-account/', { token, body, headers });

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/vnd.api+json',
  'text/json',
  '',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
])('rejects a body of type %p unread', async (type) => {
  const answer = await validateTyped({ 'content-type': type });
  expect(answer.status).toBe(415);
  expect(answer.body).toEqual(errorBody('unsupported_media_type'));
});

test('names an unknown content encoding', async () => {
  const answer = await validateTyped({ 'content-encoding': 'zstd-or-so' });
  expect(answer.status).toBe(415);
  expect(answer.body).toMatchObject({ code: 'unsupported_media_type', detail: expect.stringContaining('encoding') });
});

test('accepts x-gzip as gzip', async () => {
  const answer = await service.call('POST', '/v1/data-import/validate-account/', {
    token,
    body: new Uint8Array(gzipSync(body)),
    headers: { 'content-type': 'application/json', 'content-encoding': 'x-gzip' },
  });
  expect(answer.status).toBe(200);
});
