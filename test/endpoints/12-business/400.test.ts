import { afterAll, expect, test } from '@jest/globals';
import { businessContract, siretOf } from '../../support/account-payload.ts';
import { businessRequest } from '../../support/business-payload.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const create = (body: unknown) => service.call('POST', '/v1/data-import/business/', { token, body });
const rowsStored = async (): Promise<number> => {
  const tables = ['business', 'business_detail', 'business_contract', 'contract_version', 'contract_term'];
  const { rows } = await service.database.pool.query(
    `select (${tables.map((table) => `(select count(*) from ${table})`).join(' + ')})::integer as n`,
  );
  return rows[0].n;
};

/** A valid request with the value at a dotted path replaced, or removed if `value` is undefined. */
function changed(place: string, value: unknown): unknown {
  const payload = structuredClone(businessRequest({}, 50)) as never;
  const segments = place.split('.');
  const last = segments.pop()!;
  const holder = segments.reduce<Record<string, unknown>>(
    (node, segment) => node[segment] as Record<string, unknown>,
    payload,
  );
  if (value === undefined) delete holder[last];
  else holder[last] = value;
  return payload;
}

const contract = 'business.business_contracts.0';
const terms = `${contract}.versions.0.terms`;
const rows: [string, unknown, ...string[]][] = [
  ['import_supplier_code', undefined, 'required import_supplier_code'],
  ['import_supplier_code', 'NOBODY', 'invalid_choice import_supplier_code'],
  ['import_supplier_code', 'HIDDEN', 'invalid_choice import_supplier_code'],
  ['import_supplier_code', 7, 'invalid import_supplier_code'],
  ['external_business_identifier', ' ', 'blank external_business_identifier'],
  ['external_business_identifier', 'x'.repeat(129), 'max_length external_business_identifier'],
  ['external_business_identifier', 'a\nb', 'invalid external_business_identifier'],
  ['business', undefined, 'required business'],
  ['business', null, 'null business'],
  ['business.company_name', undefined, 'required business.company_name'],
  ['business.company_name', 'é'.repeat(256), 'max_length business.company_name'],
  ['business.business_type', 'x'.repeat(65), 'max_length business.business_type'],
  ['business.siret', '12345678901234', 'invalid_siret business.siret'],
  ['business.details.0.value', '123456789', 'siren_mismatch business.details.0.value'],
  [
    'business.details.1.key',
    'siren',
    'children_with_duplicate_values business.details.1.key',
    'siren_mismatch business.details.1.value',
  ],
  ['business.business_contracts', undefined, 'required business.business_contracts'],
  ['business.business_contracts', {}, 'not_a_list business.business_contracts'],
  [
    'business.business_contracts.1',
    businessContract('FRAME-50'),
    'duplicate_contract_identifiers business.business_contracts.1.identifier',
  ],
  [`${contract}.identifier`, undefined, `required ${contract}.identifier`],
  [`${contract}.valid_from_date`, '2024-02-30', `invalid ${contract}.valid_from_date`],
  [`${contract}.valid_from_date`, '2024-02-01', `contract_versions_does_not_include_current ${contract}.versions`],
  [`${contract}.versions`, [], `empty ${contract}.versions`],
  [`${contract}.versions.1.applicable_at_date`, '2024-01-01', `unique ${contract}.versions.1.applicable_at_date`],
  [`${terms}.0.term_type`, 'BARTER', `invalid_choice ${terms}.0.term_type`],
  [`${terms}.0.term_type`, undefined, `required ${terms}.0.term_type`],
  [`${terms}.0.metadata`, [], `not_a_dict ${terms}.0.metadata`],
  [`${terms}.1.schedules.0.items.0.price_per_unit`, 0.1432, `invalid ${terms}.1.schedules.0.items.0.price_per_unit`],
  [`${terms}.1.schedules.0.items.0.rate_band`, undefined, `required ${terms}.1.schedules.0.items.0.rate_band`],
  [`${terms}.2.amount`, '1e3', `invalid ${terms}.2.amount`],
  [`${terms}.3.period_start_month`, 13, `max_value ${terms}.3.period_start_month`],
  [
    `${terms}.4.schedules.0.effective_period.start_date`,
    'soon',
    `invalid ${terms}.4.schedules.0.effective_period.start_date`,
  ],
  [`${terms}.5.guarantee_of_origin_percentage`, 101, `max_value ${terms}.5.guarantee_of_origin_percentage`],
  [`${terms}.5.is_variable`, 'yes', `invalid ${terms}.5.is_variable`],
  [`${terms}.6.pays_by_direct_debit`, 'true', `invalid ${terms}.6.pays_by_direct_debit`],
  [`${terms}.6.pays_by_direct_debit`, undefined, `required ${terms}.6.pays_by_direct_debit`],
  [`${terms}.7.days`, -1, `min_value ${terms}.7.days`],
  [`${terms}.8.overrides`, [], `empty ${terms}.8.overrides`],
];

test.each(rows)('rejects %s = %j, and stores no row', async (place, value, ...faults) => {
  await service.call('PUT', '/v1/operations/import-suppliers/HIDDEN/', { token: service.operatorToken, body: {} });
  const before = await rowsStored();
  const { status, body } = await create(changed(place, value));
  expect(status).toBe(400);
  expect(body.code).toBe('validation_failed');
  expect(body.errors.map((error: { code: string; attr: string }) => `${error.code} ${error.attr}`)).toEqual(faults);
  expect(await rowsStored()).toBe(before);
});

test('reports all violations at once, in the order of the payload', async () => {
  const request = changed(`${terms}.6.pays_by_direct_debit`, 1) as ReturnType<typeof businessRequest>;
  request.business.siret = '1';
  const { body } = await create(request);
  expect(body.errors.map(({ attr }: { attr: string }) => attr)).toEqual([
    'business.siret',
    `${terms}.6.pays_by_direct_debit`,
  ]);
});

test('rejects a new business of a supplier that is paused or complete, and answers a stored one as before', async () => {
  const put = (status: string) =>
    service.call('PUT', '/v1/operations/import-suppliers/CLOSED/', { token: service.operatorToken, body: { status } });
  await put('Ongoing');
  const closed = await service.supplierToken(['CLOSED']);
  const send = (sequence: number, change: object = {}) => {
    const request = businessRequest({}, sequence);
    return service.call('POST', '/v1/data-import/business/', {
      token: closed,
      body: { ...request, business: { ...request.business, ...change }, import_supplier_code: 'CLOSED' },
    });
  };
  const first = await send(60);
  expect(first.status).toBe(201);
  const stored = first.body;
  for (const status of ['Paused', 'Complete']) {
    await put(status);
    const before = await rowsStored();
    const answer = await send(61);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      code: 'import_supplier_migration_not_ongoing',
      errors: [],
      detail: expect.stringContaining(status.toLowerCase()),
    });
    // A stored business is answered as before: it creates nothing.
    expect(await send(60)).toMatchObject({ status: 201, body: stored });
    expect(await send(60, { company_name: 'Another name' })).toMatchObject({
      status: 400,
      body: { code: 'business_already_exists', service_business_id: stored.service_business_id },
    });
    expect(await rowsStored()).toBe(before);
  }
});

test('reports each difference to a business that is stored with other data, and does not change it', async () => {
  const first = await create(businessRequest({}, 70));
  const before = await rowsStored();
  const different = async (business: Partial<ReturnType<typeof businessRequest>['business']>) => {
    const { status, body } = await create(businessRequest(business, 70));
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'business_already_exists',
      external_business_identifier: 'WORKS-70',
      service_business_id: first.body.service_business_id,
    });
    expect(new Set(body.errors.map(({ code }: { code: string }) => code))).toEqual(new Set(['differs_from_stored']));
    return body.errors.map(({ attr }: { attr: string }) => attr);
  };
  expect(await different({ company_name: 'Fonderie du Port' })).toEqual(['business.company_name']);
  expect(await different({ business_type: '' })).toEqual(['business.business_type']);
  expect(await different({ siret: siretOf(71), details: [] })).toEqual(['business.siret', 'business.details']);
  const edited = businessContract('FRAME-70');
  edited.versions[0]!.terms[6] = { term_type: 'PAYS_BY_DIRECT_DEBIT', pays_by_direct_debit: false };
  expect(await different({ business_contracts: [edited] })).toEqual(['business.business_contracts.0']);
  expect(await different({ business_contracts: [businessContract('NEW-70'), businessContract('FRAME-70')] })).toEqual([
    'business.business_contracts.0',
  ]);
  expect(await different({ business_contracts: [] })).toEqual(['business.business_contracts']);
  expect(await different({ company_name: 'X', business_contracts: [businessContract('NEW-70'), edited] })).toEqual([
    'business.company_name',
    'business.business_contracts.0',
    'business.business_contracts.1',
  ]);
  expect(await rowsStored()).toBe(before);
});

test('rejects a label of another business at every place, also with the same content, and stores no row', async () => {
  await create(businessRequest({ business_contracts: ['TAKEN-A', 'TAKEN-B'].map(businessContract) }, 80));
  const before = await rowsStored();
  const { status, body } = await create(
    businessRequest({ business_contracts: ['FREE', 'TAKEN-B', 'TAKEN-A'].map(businessContract) }, 81),
  );
  expect(status).toBe(400);
  expect(body.code).toBe('validation_failed');
  expect(body.errors.map((error: { code: string; attr: string }) => `${error.code} ${error.attr}`)).toEqual([
    'contract_with_identifier_exists business.business_contracts.1.identifier',
    'contract_with_identifier_exists business.business_contracts.2.identifier',
  ]);
  expect(await rowsStored()).toBe(before);
});

test('checks a describing set that operators closed for the supplier in contracts, too', async () => {
  const options = { closed_value_sets: { business_type: ['SARL'], fee_type: ['NONE'] } };
  await service.call('PUT', '/v1/operations/import-suppliers/STRICT/', {
    token: service.operatorToken,
    body: { options },
  });
  const strict = await service.supplierToken(['STRICT']);
  const { body } = await service.call('POST', '/v1/data-import/business/', {
    token: strict,
    body: { ...businessRequest({}, 90), import_supplier_code: 'STRICT' },
  });
  expect(body.errors.map((error: { code: string; attr: string }) => `${error.code} ${error.attr}`)).toEqual([
    'invalid_choice business.business_type',
    `invalid_choice ${terms}.2.fee_type`,
  ]);
});

test.each([['[]'], ['"text"'], ['{'], ['null']])('rejects the body %s', async (body) => {
  expect((await create(body)).status).toBe(400);
});
