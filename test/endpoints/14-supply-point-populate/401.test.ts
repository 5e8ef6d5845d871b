import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';
import { points, POPULATE } from '../../support/population.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await service?.stop();
});

test('stores nothing without a token', async () => {
  expect(await service.call('POST', POPULATE, { body: { prm_ids: points(1) } })).toMatchObject({
    status: 401,
    body: { code: 'not_authenticated' },
  });
  expect(await service.call('GET', `${POPULATE}0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77/`)).toMatchObject({ status: 401 });
  expect((await service.database.pool.query('select 1 from population_batch')).rows).toEqual([]);
});
