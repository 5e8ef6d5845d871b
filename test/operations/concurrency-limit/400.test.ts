import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

const put = (body: unknown) =>
  service.call('PUT', '/v1/operations/settings/create-account-concurrency-limit/', {
    token: service.operatorToken,
    body,
  });

test.each<[string, unknown, string, string]>([
  ['a missing limit', { limit: 0 }, 'limit', 'min_value'],
  ['a negative limit', { limit: -1 }, 'limit', 'min_value'],
  ['a fraction', { limit: 1.5 }, 'limit', 'invalid'],
  ['a text', { limit: '3' }, 'limit', 'invalid'],
  ['more than the database can count', { limit: 2_147_483_648 }, 'limit', 'max_value'],
  ['more digits than a number holds', '{"limit": 12345678901234567890}', 'limit', 'invalid'],
  ['an unknown field', { limits: 3 }, 'limits', 'invalid'],
  ['a reason that is not a string', { reason: 3 }, 'reason', 'invalid'],
])('rejects %s', async (_what, body, attr, code) => {
  const answer = await put(body);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ attr, code }] });
});
