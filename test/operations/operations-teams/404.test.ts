import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test('answers 404 for an unknown name', async () => {
  const answer = await service.call('GET', '/v1/operations/operations-teams/Nowhere/', {
    token: service.operatorToken,
  });
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ code: 'not_found', errors: [] });
});
