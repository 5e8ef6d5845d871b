import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';
import { points, POPULATE } from '../../support/population.ts';

let service: Service;
beforeAll(async () => { service = await startService(); });
afterAll(async () => { await service?.stop(); });

test('an unknown batch, what is no batch id, and the batch of another organisation look alike', async () => {
  const [mine, other] = [await service.supplierToken(['SUPPLIER_FR']), await service.supplierToken(['SUPPLIER_FR'])];
  const { body } = await service.call('POST', POPULATE, { token: mine, body: { prm_ids: points(1) } });
  expect((await service.call('GET', `${POPULATE}${body.batch_id}/`, { token: mine })).status).toBe(200);
  const answers = [
    await service.call('GET', `${POPULATE}${body.batch_id}/`, { token: other }),
    await service.call('GET', `${POPULATE}0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77/`, { token: mine }),
    await service.call('GET', `${POPULATE}nothing/`, { token: mine }),
  ];
  for (const answer of answers) expect(answer).toMatchObject({ status: 404, body: { code: 'not_found', detail: 'There is no population batch with this id.' } });
});
