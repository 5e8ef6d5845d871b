import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service.stop();
});

test('returns an existing team', async () => {
  const call = (method: string, body?: unknown) =>
    service.call(method, '/v1/operations/operations-teams/South/', { token: service.operatorToken, body });
  const first = await call('PUT', {});
  const again = await call('PUT', {});
  expect(again.status).toBe(200);
  expect(again.body).toEqual(first.body);
  const read = await call('GET');
  expect(read.status).toBe(200);
  expect(read.body).toEqual(first.body);
});

test('orders the list by name', async () => {
  const call = (method: string, path: string, body?: unknown) =>
    service.call(method, `/v1/operations/operations-teams/${path}`, { token: service.operatorToken, body });
  await call('PUT', 'Zulu/', {});
  await call('PUT', 'Alpha/', {});
  const { status, body } = await call('GET', '');
  expect(status).toBe(200);
  const names = body.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['Alpha', 'Migration', 'Zulu']));
  expect(names).toEqual([...names].sort());
});
