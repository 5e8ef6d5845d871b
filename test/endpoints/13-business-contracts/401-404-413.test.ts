import { afterAll, expect, test } from '@jest/globals';
import { contractsRequest, businessRequest } from '../../support/business-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false, settings: { BUSINESS_BODY_LIMIT_BYTES: '2000000' } });
afterAll(() => service.stop());

test.each([
  ['not_authenticated', undefined],
  ['authentication_failed', 'gwa_unknown'],
])('%s', async (code, token) => {
  const answer = await service.call('POST', '/v1/data-import/business-contracts/create/', {
    ...(token === undefined ? {} : { token }),
    body: contractsRequest(['LATER']),
  });
  expect(answer.status).toBe(401);
  expect(answer.body).toMatchObject({ code, errors: [] });
  expect(answer.headers['www-authenticate']).toBe('Token');
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

test('accepts a body over the 1 MB of other operations, and rejects one over its own limit', async () => {
  const token = await service.supplierToken(['SUPPLIER_FR']);
  await service.call('POST', '/v1/data-import/business/', { token, body: businessRequest() });
  const send = (length: number) =>
    service.call('POST', '/v1/data-import/business-contracts/create/', {
      token,
      body: { ...contractsRequest(['LATER']), padding: 'x'.repeat(length) },
    });
  expect((await send(1_900_000)).status).toBe(201);
  const answer = await send(2_000_000);
  expect(answer.status).toBe(413);
  expect(answer.body).toMatchObject({ code: 'request_too_large', errors: [] });
});
