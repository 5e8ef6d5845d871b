import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => { service = await startService(); });
afterAll(async () => { await service.stop(); });

const get = (query: string) => service.call('GET', `/v1/operations/audit/${query}`, { token: service.operatorToken });

test('the newest changes come first, as many as asked for', async () => {
  for (const name of ['One', 'Two', 'Three']) await service.call('PUT', `/v1/operations/operations-teams/${name}/`, { token: service.operatorToken, body: {} });
  const { status, body } = await get('?limit=2');
  expect(status).toBe(200);
  expect(body.map(({ subject }: { subject: string }) => subject)).toEqual(['operations-teams/Three', 'operations-teams/Two']);
  expect((await get('?subject=operations-teams/One')).body).toHaveLength(1);
  expect((await get('?action=nothing.happened')).body).toEqual([]);
});
