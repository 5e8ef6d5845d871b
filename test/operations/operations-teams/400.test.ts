import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test.each<[string, string, unknown, string, string]>([
  ['an unknown field', 'North', { members: [] }, 'members', 'invalid'],
  ['a long name', 'x'.repeat(256), {}, 'name', 'max_length'],
  ['a blank name', '%20', {}, 'name', 'blank'],
])('rejects %s', async (_what, name, body, attr, code) => {
  const answer = await service.call('PUT', `/v1/operations/operations-teams/${name}/`, {
    token: service.operatorToken,
    body,
  });
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'validation_failed', errors: [{ attr, code }] });
});
