import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test.each(['NOBODY', '%00', 'x'.repeat(40)])('answers 404 for the code %s', async (code) => {
  const answer = await service.call('GET', `/v1/operations/import-suppliers/${code}/`, {
    token: service.operatorToken,
  });
  expect(answer.status).toBe(404);
  expect(answer.body).toMatchObject({ code: 'not_found', errors: [] });
});
