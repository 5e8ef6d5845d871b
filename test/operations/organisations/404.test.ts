import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test('answers 404 for an organisation without a key, and for an unknown supply point', async () => {
  const call = (method: string, path: string, body?: object) =>
    service.call(method, `/v1/operations/${path}/`, { token: service.operatorToken, body });
  for (const answer of [
    await call('GET', 'organisations/Nobody'),
    await call('PUT', 'organisations/Nobody', { customer_authorisation: true, reason: 'x' }),
  ]) {
    expect(answer).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: expect.stringContaining('first API key') },
    });
  }
  expect(await call('GET', 'supply-points/enedis/25014987360042')).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
  expect(await call('GET', 'supply-points/nobody/25014987360042')).toMatchObject({
    status: 404,
    body: { code: 'not_found' },
  });
});
