import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test.each([
  ['SUPPLIER_FR', 'NOWHERE'],
  ['NOBODY', 'A-1'],
  ['SUPPLIER_FR', '%00'],
])('answers 404 for %s %s, and audits nothing', async (supplier, external) => {
  const answer = await service.call('GET', `/v1/operations/accounts/${supplier}/${external}/`, {
    token: service.operatorToken,
  });
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ code: 'not_found', errors: [] });
  expect(
    (await service.call('GET', '/v1/operations/audit/?action=account.read', { token: service.operatorToken })).body,
  ).toEqual([]);
});
