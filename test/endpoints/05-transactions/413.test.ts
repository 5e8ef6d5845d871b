import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ temporal: false });
});
afterAll(async () => {
  await service.stop();
});

test('a body over 1 MB is not taken', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const answer = await service.call('POST', '/v1/data-import/transactions/create/', {
    token,
    body: { padding: 'x'.repeat(1_050_000) },
  });
  expect(answer.status).toBe(413);
  expect(answer.body).toMatchObject({ code: 'request_too_large', errors: [] });
});
