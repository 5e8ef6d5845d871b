import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => { service = await startService(); });
afterAll(async () => { await service.stop(); });

test('a team that is there is answered again and can be read', async () => {
  const call = (method: string, body?: unknown) => service.call(method, '/v1/operations/operations-teams/South/', { token: service.operatorToken, body });
  const first = await call('PUT', {});
  const again = await call('PUT', {});
  expect(again.status).toBe(200);
  expect(again.body).toEqual(first.body);
  const read = await call('GET');
  expect(read.status).toBe(200);
  expect(read.body).toEqual(first.body);
});
