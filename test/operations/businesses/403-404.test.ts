import { afterAll, expect, test } from '@jest/globals';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());

test("rejects a supplier's key that reads a business in the operator API", async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const answer = await service.call('GET', '/v1/operations/businesses/SUPPLIER_FR/WORKS-1/', { token });
  expect(answer.status).toBe(403);
  expect(answer.body).toMatchObject({ code: 'permission_denied', errors: [] });
});

test.each(['SUPPLIER_FR/NOWHERE', 'NOBODY/WORKS-1', `SUPPLIER_FR/${'x'.repeat(200)}`, 'SUPPLIER_FR/a%00b'])(
  'answers 404 for the business %s',
  async (path) => {
    const answer = await service.call('GET', `/v1/operations/businesses/${path}/`, { token: service.operatorToken });
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'business_not_found', errors: [] });
  },
);
