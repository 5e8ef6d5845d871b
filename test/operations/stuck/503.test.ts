import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ temporal: false });
});
afterAll(async () => {
  await service.stop();
});

test.each([
  ['GET', 'stuck/'],
  ['POST', `stuck/${Buffer.from('create-account/S/1').toString('base64url')}/retry/`],
])('%s %s: answers 503 while Temporal is down', async (method, path) => {
  const answer = await service.call(method, `/v1/operations/${path}`, { token: service.operatorToken });
  expect(answer.status).toBe(503);
  expect(answer.body).toMatchObject({
    code: 'service_unavailable',
    detail: expect.stringContaining('Temporal'),
    errors: [],
  });
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
});
