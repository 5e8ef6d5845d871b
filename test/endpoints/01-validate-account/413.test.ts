import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { errorBody } from '../../support/error-body.ts';
import { startService, type Service } from '../../support/harness.ts';

const LIMIT = 1_048_576;

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService({ temporal: false });
  token = await service.supplierToken(['SUPPLIER_FR']);
});
afterAll(async () => {
  await service.stop();
});

/** A valid account of exactly this number of bytes. */
function bodyOf(bytes: number): string {
  const text = JSON.stringify(domesticAccount({ import_supplier: 'SUPPLIER_FR' }));
  return `${text.slice(0, -1)}${' '.repeat(bytes - Buffer.byteLength(text))}}`;
}

const validate = (body: string) => service.call('POST', '/v1/data-import/validate-account/', { token, body });

test('accepts a body of exactly the limit, and rejects one byte more as request_too_large with the limit', async () => {
  expect((await validate(bodyOf(LIMIT))).status).toBe(200);
  const answer = await validate(bodyOf(LIMIT + 1));
  expect(answer.status).toBe(413);
  expect(answer.body).toEqual(errorBody('request_too_large', expect.stringContaining(String(LIMIT))));
});
