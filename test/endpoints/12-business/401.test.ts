import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { businessRequest } from '../../support/business-payload.ts';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ temporal: false });
});
afterAll(async () => {
  await service.stop();
});

test.each([
  ['not_authenticated', undefined],
  ['authentication_failed', 'gwa_unknown'],
])('%s', async (code, token) => {
  const answer = await service.call('POST', '/v1/data-import/business/', {
    ...(token === undefined ? {} : { token }),
    body: businessRequest(),
  });
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ code, errors: [] });
  expect(answer.headers['www-authenticate']).toBe('Token');
});
