import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
let token: string;
beforeAll(async () => {
  service = await startService({ temporal: false });
  token = await service.supplierToken(['SUPPLIER_FR']);
});
afterAll(async () => {
  await service?.stop();
});

test.each([
  ['limit=0', 'limit'],
  ['limit=501', 'limit'],
  ['limit=many', 'limit'],
  ['after=yesterday', 'after'],
  ['after=7-0000000', 'after'],
  ['after=9999999999999999999-00000000', 'after'],
  // A valid cursor that was never issued.
  ['after=7-00000000', 'after'],
])('rejects %s', async (query, attr) => {
  const answer = await service.call('GET', `/v1/data-import/events/?${query}`, { token });
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', errors: [{ code: 'invalid', attr }] },
  });
});
