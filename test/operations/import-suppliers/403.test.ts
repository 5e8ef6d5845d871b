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
  ['PUT', 'import-suppliers/MINE/'],
  ['GET', 'import-suppliers/MINE/'],
  ['GET', 'import-suppliers/'],
  ['PUT', 'operations-teams/North/'],
  ['GET', 'operations-teams/North/'],
  ['POST', 'api-keys/'],
  ['GET', 'api-keys/'],
  ['DELETE', 'api-keys/0199a000-0000-7000-8000-000000000000/'],
  ['GET', 'audit/'],
  ['GET', 'operations-teams/'],
  ['PUT', 'account-import-processes/MINE/A-1/skip/'],
  ['DELETE', 'account-import-processes/MINE/A-1/skip/'],
  ['PUT', 'settings/create-account-concurrency-limit/'],
  ['GET', 'settings/create-account-concurrency-limit/'],
  ['GET', 'accounts/MINE/A-1/'],
  ['GET', 'stuck/'],
  ['POST', 'stuck/YQ/retry/'],
])("rejects a supplier's key: %s %s", async (method, path) => {
  await service.call('PUT', '/v1/operations/import-suppliers/MINE/', { token: service.operatorToken, body: {} });
  const token = await service.supplierToken(['MINE']);
  const answer = await service.call(method, `/v1/operations/${path}`, {
    token,
    ...(method === 'GET' || method === 'DELETE' ? {} : { body: {} }),
  });
  expect(answer.status).toBe(403);
  expect(answer.body).toMatchObject({ code: 'permission_denied', errors: [] });
});
