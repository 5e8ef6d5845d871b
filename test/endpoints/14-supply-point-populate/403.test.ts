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

test('rejects a batch of a key without import supplier', async () => {
  for (const token of [await service.supplierToken([]), service.operatorToken]) {
    const answer = await service.call('POST', POPULATE, { token, body: { prm_ids: points(1) } });
    expect(answer).toMatchObject({
      status: 403,
      body: { code: 'permission_denied', detail: expect.stringContaining('no import supplier') },
    });
  }
  expect((await service.database.pool.query('select 1 from population_batch')).rows).toEqual([]);
});
