import { afterAll, expect, test } from '@jest/globals';
import { businessContract } from '../../support/account-payload.ts';
import { businessRequest, contractsRequest } from '../../support/business-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const create = (body: unknown) =>
  service.call('POST', '/v1/data-import/business/', { token, body, headers: { 'content-type': 'application/json' } });
const read = (external: string) =>
  service.call('GET', `/v1/operations/businesses/SUPPLIER_FR/${encodeURIComponent(external)}/`, {
    token: service.operatorToken,
  });

test('shows a business as it was sent, with later contracts behind the others', async () => {
  const request = businessRequest({}, 1);
  const { body: created } = await create(request);
  const later = contractsRequest(['LATER-1'], 1);
  await service.call('POST', '/v1/data-import/business-contracts/create/', { token, body: later });
  const { status, body } = await read('WORKS-1');
  expect(status).toBe(200);
  expect(body).toEqual({
    import_supplier_code: 'SUPPLIER_FR',
    external_business_identifier: 'WORKS-1',
    service_business_id: created.service_business_id,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
    business: {
      ...request.business,
      business_contracts: [...request.business.business_contracts, ...later.business_contracts],
    },
    accounts: [],
  });
  const audit = await service.call('GET', '/v1/operations/audit/?subject=businesses/SUPPLIER_FR/WORKS-1', {
    token: service.operatorToken,
  });
  expect(audit.body).toMatchObject([
    { action: 'business.read', before: null, after: null, actor: { key_id: expect.any(String) } },
  ]);
});

test.each([
  ['left out', { company_name: 'Atelier Sud', business_contracts: [] }],
  [
    'sent empty',
    {
      business_type: '',
      company_name: 'Atelier Sud',
      siret: '',
      details: [],
      business_contracts: [
        {
          ...businessContract('EMPTY'),
          signed_at_date: '',
          versions: [{ applicable_at_date: '2024-01-01', terms: [] }],
        },
      ],
    },
  ],
])('shows optional fields that were %s as such', async (what, business) => {
  const external = `Établissement ${what} / 1`;
  const { status } = await create({
    import_supplier_code: 'SUPPLIER_FR',
    external_business_identifier: external,
    business,
  });
  expect(status).toBe(201);
  expect((await read(external)).body).toMatchObject({ external_business_identifier: external, business });
  expect((await read(external)).body.business).toEqual(business);
});

test('shows a SIRET as it was sent, and stores its normal form', async () => {
  const request = businessRequest({}, 3);
  const spaced = request.business.siret!.replace(/^(...)(...)/, '$1 $2.');
  await create({ ...request, business: { ...request.business, siret: ` ${spaced} ` } });
  expect((await read('WORKS-3')).body.business.siret).toBe(spaced);
  const { rows } = await service.database.pool.query(
    `select siret from business where external_business_identifier = 'WORKS-3'`,
  );
  expect(rows).toEqual([{ siret: request.business.siret }]);
});

test('keeps the digits of decimal strings, the value of JSON numbers, and opaque values whole', async () => {
  const terms = `[{"term_type":"CONTRACT_METADATA","metadata":{"exact":12345678901234567890.5,"tiny":1e-7,"nothing":null,"list":[1.50,{"a":null}],"text":"Ω"}},
    {"term_type":"PRODUCT_RATE_OVERRIDE_SCHEDULE","schedules":[{"effective_from":"2024-01-01","items":[
      {"price_per_unit":"0.12345","rate_band":"A","product_code":"P"},{"price_per_unit":"1.50","rate_band":"B","product_code":"P"}]}]},
    {"term_type":"TERMINATION_FEE","amount":250.5,"fee_type":"FLAT"},{"term_type":"TERMINATION_FEE","amount":"250.50","fee_type":"FLAT"},
    {"term_type":"RATE_GROUP_ELIGIBILITY","schedules":[],"time_series_specification_schedules":[{"free":[null]},3]}]`;
  const body = `{"import_supplier_code":"SUPPLIER_FR","external_business_identifier":"DIGITS","business":{"company_name":"Digits","business_contracts":[
    {"identifier":"DIGITS","valid_from_date":"2024-01-01","versions":[{"applicable_at_date":"2024-01-01","terms":${terms}}]}]}}`;
  const first = await create(body);
  expect(first.status).toBe(201);
  const answer = await fetch(`${service.url}/v1/operations/businesses/SUPPLIER_FR/DIGITS/`, {
    headers: { authorization: `Token ${service.operatorToken}` },
  });
  const text = await answer.text();
  expect(text).toContain('12345678901234567890.5');
  expect(text).toContain('"1.50"');
  expect(JSON.parse(text).business.business_contracts[0].versions[0].terms).toEqual(JSON.parse(terms));
  // The digit that a double would lose also distinguishes two businesses.
  expect((await create(body)).body).toEqual(first.body);
  expect((await create(body.replace('12345678901234567890.5', '12345678901234567890.6'))).body.code).toBe(
    'business_already_exists',
  );
});
