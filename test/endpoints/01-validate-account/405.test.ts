import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { errorBody } from '../../support/error-body.ts';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ temporal: false });
});
afterAll(async () => {
  await service.stop();
});

test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'HEAD'])(
  'rejects %s, and lists the accepted methods in Allow',
  async (method) => {
    const answer = await service.call(method, '/v1/data-import/validate-account/');
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe('POST');
    if (method !== 'HEAD') expect(answer.body).toEqual(errorBody('method_not_allowed'));
  },
);

test('lists the methods in the answer to OPTIONS, without a body', async () => {
  const answer = await service.call('OPTIONS', '/v1/data-import/validate-account/');
  expect(answer.status).toBe(204);
  expect(answer.headers['allow']).toBe('POST');
  expect(answer.body).toBeUndefined();
});
