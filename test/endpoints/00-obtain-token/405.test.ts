import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test('accepts POST only', async () => {
  const answer = await service.call('GET', '/graphql/?query={service}', {});
  expect(answer.status).toBe(405);
  expect(answer.headers).toMatchObject({ allow: 'POST' });
  expect(answer.body).toMatchObject({ code: 'method_not_allowed', errors: [] });
});
