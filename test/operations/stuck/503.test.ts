import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

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
