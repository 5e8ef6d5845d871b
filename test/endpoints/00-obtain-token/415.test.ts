import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test('rejects a request without a JSON body', async () => {
  const answer = await service.call('POST', '/graphql/', {});
  expect(answer.status).toBe(415);
  expect(answer.body).toMatchObject({ code: 'unsupported_media_type', errors: [] });
});
