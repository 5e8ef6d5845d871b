import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ temporal: false });
});
afterAll(async () => {
  await service?.stop();
});

test('answers 503 while Temporal is down', async () => {
  const token = service.operatorToken;
  for (const answer of [
    await service.call('GET', '/v1/operations/checks/', { token }),
    await service.call('POST', '/v1/operations/checks/mend/', { token, body: {} }),
  ]) {
    expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect(answer.headers['retry-after']).toBe('5');
  }
});
