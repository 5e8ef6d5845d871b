import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

test.each(['0', '-1', '1001', '1.5', 'all', ''])('rejects the limit %p', async (limit) => {
  const answer = await service.call('GET', `/v1/operations/audit/?limit=${limit}`, { token: service.operatorToken });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ attr: 'limit', code: 'invalid' }] });
});
