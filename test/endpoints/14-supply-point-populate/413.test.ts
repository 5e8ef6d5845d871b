import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startService, type Service } from '../../support/harness.ts';
import { points, POPULATE } from '../../support/population.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ settings: { POPULATE_BODY_LIMIT_BYTES: '20000' } });
});
afterAll(async () => {
  await service?.stop();
});

test('rejects a body over its own limit', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  expect(await service.call('POST', POPULATE, { token, body: { prm_ids: points(1_000) } })).toMatchObject({
    status: 201,
  });
  expect(await service.call('POST', POPULATE, { token, body: { prm_ids: points(2_000) } })).toMatchObject({
    status: 413,
    body: { code: 'request_too_large' },
  });
});
