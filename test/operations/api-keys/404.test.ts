import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test.each(['0199a000-0000-7000-8000-000000000000', 'not-an-id'])('answers 404 when revoking the key %s', async (id) => {
  const answer = await service.call('DELETE', `/v1/operations/api-keys/${id}/`, { token: service.operatorToken });
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ code: 'not_found', errors: [] });
});
