import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test('rejects a body over 100 kB', async () => {
  const answer = await service.call('POST', '/graphql/', {
    body: { query: '{ service }', variables: { padding: 'x'.repeat(100_001) } },
  });
  expect(answer.status).toBe(413);
  expect(answer.body).toMatchObject({ code: 'request_too_large', errors: [] });
});
