import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { businessRequest, contractsRequest } from '../../support/business-payload.ts';
import { startService, type Service } from '../../support/harness.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ temporal: false });
});
afterAll(async () => {
  await service.stop();
});

test('answers alike for an unknown business, an unknown supplier and one out of scope', async () => {
  await service.call('PUT', '/v1/operations/import-suppliers/HIDDEN/', { token: service.operatorToken, body: {} });
  const other = await service.supplierToken(['HIDDEN']);
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const created = await service.call('POST', '/v1/data-import/business/', {
    token: other,
    body: { ...businessRequest(), import_supplier_code: 'HIDDEN' },
  });
  expect(created.status).toBe(201);
  const answers = await Promise.all(
    [
      contractsRequest(['A']),
      { ...contractsRequest(['A']), import_supplier_code: 'NOBODY' },
      { ...contractsRequest(['A']), import_supplier_code: 'HIDDEN' },
    ].map((body) => service.call('POST', '/v1/data-import/business-contracts/create/', { token, body })),
  );
  for (const answer of answers) {
    expect(answer.status).toBe(404);
    expect(answer.body).toEqual({
      detail: expect.any(String),
      code: 'business_not_found',
      errors: [],
      doc_url: '/docs/codes/business_not_found/',
    });
  }
});

test('reports violations of the payload first', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  const { status } = await service.call('POST', '/v1/data-import/business-contracts/create/', {
    token,
    body: { ...contractsRequest(['A']), import_supplier_code: 'NOBODY', business_contracts: [] },
  });
  expect(status).toBe(400);
});
