import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test.each(['0', '-1', '1001', '1.5', 'all', ''])('rejects the limit %p', async (limit) => {
  const answer = await service.call('GET', `/v1/operations/audit/?limit=${limit}`, { token: service.operatorToken });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ attr: 'limit', code: 'invalid' }] });
});
