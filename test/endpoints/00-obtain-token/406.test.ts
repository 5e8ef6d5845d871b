import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test('rejects a client that does not accept JSON', async () => {
  const answer = await service.call('POST', '/graphql/', {
    body: { query: '{ service }' },
    headers: { accept: 'text/html' },
  });
  expect(answer).toMatchObject({ status: 406, body: { code: 'not_acceptable' } });
});
