import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

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
