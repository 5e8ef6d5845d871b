import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test.each(['NOBODY', 'a%00b', 'x'.repeat(200)])('answers 404 for the account %p', async (external) => {
  const answer = await service.call(
    'PUT',
    `/v1/operations/account-import-processes/SUPPLIER_FR/${external}/switch-status/`,
    { token: service.operatorToken, body: { status: 'COMPLETED', reason: 'x' } },
  );
  expect(answer).toMatchObject({ status: 404, body: { code: 'account_not_found' } });
});
