import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { errorBody } from '../../support/error-body.ts';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService({ temporal: false });
  token = await service.supplierToken(['SUPPLIER_FR']);
});
afterAll(async () => {
  await service.stop();
});

const body = JSON.stringify(domesticAccount({ import_supplier: 'SUPPLIER_FR' }));
const validate = (headers: Record<string, string>) =>
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
  const answer = await validate({ 'content-type': type });
  expect(answer.status).toBe(415);
  expect(answer.body).toEqual(errorBody('unsupported_media_type'));
});

test('names an unknown content encoding', async () => {
  const answer = await validate({ 'content-encoding': 'zstd-or-so' });
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
