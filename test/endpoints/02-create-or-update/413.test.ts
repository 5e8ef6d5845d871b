import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { errorBody } from '../../support/error-body.ts';
import { startService } from '../../support/harness.ts';

const LIMIT = 20_000;

const service = await startService({ temporal: false, settings: { BODY_LIMIT_BYTES: String(LIMIT) } });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

test('stages a body of exactly the configured limit, and rejects one byte more', async () => {
  const text = JSON.stringify(domesticAccount({ import_supplier: 'SUPPLIER_FR' }));
  const bodyOf = (bytes: number) => `${text.slice(0, -1)}${' '.repeat(bytes - Buffer.byteLength(text))}}`;
  const stage = (body: string) =>
    service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
  const tooLarge = await stage(bodyOf(LIMIT + 1));
  expect(tooLarge.status).toBe(413);
  expect(tooLarge.body).toEqual(errorBody('request_too_large', expect.stringContaining(String(LIMIT))));
  expect((await stage(bodyOf(LIMIT))).status).toBe(201);
});
