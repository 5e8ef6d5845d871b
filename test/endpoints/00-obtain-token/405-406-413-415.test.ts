import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService();
afterAll(() => service.stop());

test('accepts POST only', async () => {
  const answer = await service.call('GET', '/graphql/?query={service}', {});
  expect(answer.status).toBe(405);
  expect(answer.headers).toMatchObject({ allow: 'POST' });
  expect(answer.body).toMatchObject({ code: 'method_not_allowed', errors: [] });
});

test('rejects a client that does not accept JSON', async () => {
  const answer = await service.call('POST', '/graphql/', {
    body: { query: '{ service }' },
    headers: { accept: 'text/html' },
  });
  expect(answer).toMatchObject({ status: 406, body: { code: 'not_acceptable' } });
});

test('rejects a body over 100 kB', async () => {
  const answer = await service.call('POST', '/graphql/', {
    body: { query: '{ service }', variables: { padding: 'x'.repeat(100_001) } },
  });
  expect(answer.status).toBe(413);
  expect(answer.body).toMatchObject({ code: 'request_too_large', errors: [] });
});

test('rejects a request without a JSON body', async () => {
  const answer = await service.call('POST', '/graphql/', {});
  expect(answer.status).toBe(415);
  expect(answer.body).toMatchObject({ code: 'unsupported_media_type', errors: [] });
});
