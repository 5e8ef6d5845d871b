import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

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
