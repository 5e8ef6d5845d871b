import { afterAll, expect, test } from '@jest/globals';
import { businessAccount, domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';

const ours = { import_supplier: 'SUPPLIER_FR' };

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const validate = (body: unknown) => service.call('POST', '/v1/data-import/validate-account/', { token, body });
const codesOf = (body: { errors: { code: string; attr: string }[] }) =>
  body.errors.map(({ code, attr }) => `${attr} ${code}`);

test('answers with exactly the documented members', async () => {
  const answer = await validate(
    domesticAccount({ ...ours, customers: [{ given_name: 'A', family_name: 'B', landline: '12' }] }),
  );
  expect(answer.status).toBe(400);
  expect(answer.headers['content-type']).toMatch(/^application\/json/);
  expect(answer.body).toEqual({
    detail: expect.any(String),
    code: 'account_failed_validation',
    errors: [{ detail: expect.any(String), code: 'invalid_phone_number', attr: 'customers.0.landline' }],
    doc_url: '/docs/codes/account_failed_validation/',
  });
});

test('reports all violations at once, of the schema and of the rules, in the order of the payload', async () => {
  // Its members get values of wrong types.
  const account = businessAccount(ours, 1) as any;
  account.external_account_number = '';
  account.account_type = 'MANAGED';
  account.business.siret = '12345678901234';
  account.unknown_occupier = 'yes';
  account.customers[0].email = 'nobody';
  account.customers[0].date_of_birth = '2999-01-01';
  account.supply_addresses[0].supply_points[0].identifier = '123';
  account.supply_addresses[0].supply_points[0].agreements[1].effective_from = '2023-02-30';
  account.supply_addresses[0].supply_points[1].payment_schedules[0].amount = 0;
  delete account.supply_addresses[0].supply_points[1].supply_start_date;
  account.supplementary_ledgers[0].energy_cheques[0].amount = 1.5;
  account.notes[1] = {};
  account.metadata.push({ key: 'previous_system', value: [] });
  account.account_contracts[0].versions[0].terms[2].amount = 'much';
  account.payment_preferences[1].supply_point_identifier = 'none';
  const answer = await validate(account);
  expect(answer.status).toBe(400);
  expect(codesOf(answer.body)).toEqual(
    [
      'external_account_number blank',
      'account_type managed_accounts_are_not_allowed',
      'unknown_occupier invalid',
      'customers.0.email invalid',
      'customers.0.date_of_birth invalid',
      'supply_addresses.0.supply_points.0.identifier invalid_prm',
      'supply_addresses.0.supply_points.0.agreements.1.effective_from invalid',
      'supply_addresses.0.supply_points.1.payment_schedules.0.amount zero_payment_schedule_amount',
      'supply_addresses.0.supply_points.1.supply_start_date required',
      'supplementary_ledgers.0.energy_cheques.0.amount invalid',
      'notes.1.non_field_errors note_body_or_document_path_not_found',
      'metadata.1.key metadata_has_duplicate_keys',
      'metadata.1.value not_a_dict',
      'payment_preferences.0.supply_point_identifier supply_point_not_found',
      'payment_preferences.1.supply_point_identifier supply_point_not_found',
      'business.siret invalid_siret',
      'account_contracts.0.versions.0.terms.2.amount invalid',
    ].sort(bySentOrder(account)),
  );
});

/** Orders `<attr> <code>` by the position of the place in the request. */
function bySentOrder(sent: unknown): (one: string, other: string) => number {
  const position = (attr: string): number[] => {
    let value: any = sent;
    return attr.split('.').map((segment) => {
      const keys = typeof value === 'object' && value !== null ? Object.keys(value) : [];
      const index = keys.indexOf(segment);
      value = value?.[segment];
      return segment === 'non_field_errors' ? -1 : index === -1 ? keys.length : index;
    });
  };
  return (one, other) => {
    const [left, right] = [position(one.split(' ')[0] as string), position(other.split(' ')[0] as string)];
    for (let level = 0; level < Math.min(left.length, right.length); level += 1) {
      if (left[level] !== right[level]) return (left[level] as number) - (right[level] as number);
    }
    return left.length - right.length;
  };
}

test('lists the first 1,000 violations, and says that there are more', async () => {
  const flood = await validate(domesticAccount({ ...ours, notes: Array.from({ length: 1_001 }, () => ({})) }, 2));
  expect(flood.status).toBe(400);
  expect(flood.body.errors).toHaveLength(1_000);
  expect(flood.body.errors[999].attr).toBe('notes.999.non_field_errors');
  expect(flood.body.truncated).toBe(true);
  const full = await validate(domesticAccount({ ...ours, notes: Array.from({ length: 1_000 }, () => ({})) }, 3));
  expect(full.body.errors).toHaveLength(1_000);
  expect(full.body).not.toHaveProperty('truncated');
});

test("treats another organisation's supplier like one that does not exist", async () => {
  await service.database.pool.query(
    `insert into import_supplier (code, name, status) values ('FOREIGN', 'Foreign', 'Ongoing')`,
  );
  const [foreign, unknown] = await Promise.all([
    validate(domesticAccount({ import_supplier: 'FOREIGN' }, 4)),
    validate(domesticAccount({ import_supplier: 'UNKNOWN' }, 4)),
  ]);
  expect(foreign.status).toBe(400);
  expect(codesOf(foreign.body)).toEqual(['import_supplier invalid_choice']);
  expect(foreign.body).toEqual(unknown.body);
});

test.each([
  ['a list', [domesticAccount(ours)]],
  ['a text', '"account"'],
  ['a number', '17'],
  ['a number beyond 15 digits', '1e400'],
  ['null', 'null'],
  ['true', 'true'],
])('reports %s as body as one violation of the whole body', async (_name, body) => {
  const answer = await validate(body);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({ code: 'account_failed_validation' });
  expect(codesOf(answer.body)).toEqual(['non_field_errors invalid']);
});

test('reports exactly the required members of an empty object', async () => {
  const answer = await validate({});
  expect(codesOf(answer.body)).toEqual([
    'external_account_number required',
    'import_supplier required',
    'customers required',
  ]);
});

test.each([
  ['an exponent', '6.125e1', 'invalid'],
  ['16 digits', '1.234567890123456', 'max_digits'],
  ['16 digits as text', '"1.234567890123456"', 'max_digits'],
  ['a huge exponent', '1e400', 'invalid'],
  ['a boolean', 'true', 'invalid'],
  ['null', 'null', 'null'],
  ['a text with a comma', '"61,25"', 'invalid'],
  ['a plus sign', '"+61.25"', 'invalid'],
  ['a negative zero', '-0.0', 'zero_payment_schedule_amount'],
])('rejects money with %s', async (_name, amount, code) => {
  const body = JSON.stringify(domesticAccount(ours, 5)).replace('"amount":61.25', `"amount":${amount}`);
  expect(codesOf((await validate(body)).body)).toEqual([
    `supply_addresses.0.supply_points.0.payment_schedules.0.amount ${code}`,
  ]);
});

test.each([
  ['2023-02-29', 'invalid'],
  ['2024-02-30', 'invalid'],
  ['2023-13-01', 'invalid'],
  ['2023-00-10', 'invalid'],
  ['1899-12-31', 'invalid'],
  ['2200-01-01', 'invalid'],
  ['2023-1-1', 'invalid'],
  ['20230101', 'invalid'],
  ['2023-01-01T00:00:00Z', 'invalid'],
  ['٢٠٢٣-٠١-٠١', 'invalid'],
  [20230101, 'invalid'],
  [null, 'null'],
])('rejects the day %p', async (day, code) => {
  expect(codesOf((await validate({ ...domesticAccount(ours, 6), last_billed_to_date: day })).body)).toEqual([
    `last_billed_to_date ${code}`,
  ]);
});

test.each(['2024-02-29', '1900-01-01', '2199-12-31'])('accepts the day %s', async (day) => {
  const account = domesticAccount(ours, 7);
  account.supply_addresses![0]!.customer_at_supply_address_from_date = day;
  expect((await validate(account)).status).toBe(200);
});

test('rejects values outside a closed describing set at each place, and accepts any value of an open one', async () => {
  const code = 'CLOSED';
  await service.call('PUT', `/v1/operations/import-suppliers/${code}/`, {
    token: service.operatorToken,
    body: { options: { closed_value_sets: { sales_channel: ['DIRECT'], cheque_source: ['PAPER'] } } },
  });
  const closed = await service.supplierToken([code]);
  const answer = await service.call('POST', '/v1/data-import/validate-account/', {
    token: closed,
    body: domesticAccount({ import_supplier: code, sales_channel: 'BROKER' }, 8),
  });
  expect(codesOf(answer.body)).toEqual([
    'sales_channel invalid_choice',
    'supplementary_ledgers.0.energy_cheques.0.source invalid_choice',
  ]);
  expect((await validate(domesticAccount({ ...ours, sales_channel: 'BROKER' }, 8))).status).toBe(200);
});

test('reports a missing required member together with a dropped member of similar name', async () => {
  const { external_account_number: number, ...rest } = domesticAccount(ours, 7);
  const point = rest.supply_addresses![0]!.supply_points[0]! as unknown as Record<string, unknown>;
  point['supply-start-date'] = point['supply_start_date'];
  delete point['supply_start_date'];
  point['identifer'] = point['identifier'];
  delete point['identifier'];
  const answer = await validate({ ...rest, externalAccountNumber: number, number });
  const errors = answer.body.errors as { code: string; attr: string; detail: string }[];
  expect(errors.map(({ code, attr }) => `${attr} ${code}`).sort()).toEqual([
    'external_account_number required',
    'payment_preferences.0.supply_point_identifier supply_point_not_found',
    'supply_addresses.0.supply_points.0.identifier required',
    'supply_addresses.0.supply_points.0.supply_start_date required',
  ]);
  const detailAt = (end: string) => errors.find(({ attr }) => attr.endsWith(end))!.detail;
  expect(detailAt('external_account_number')).toContain('"externalAccountNumber"');
  expect(detailAt('.identifier')).toContain('"identifer"');
  expect(detailAt('.supply_start_date')).toContain('"supply-start-date"');
});

test('reports a missing required member alone if no dropped name is similar', async () => {
  const answer = await validate({ customer: [], unrelated: 1, supplier: 'x', constructor: 1 });
  const details = Object.fromEntries(
    (answer.body.errors as { attr: string; detail: string }[]).map(({ attr, detail }) => [attr, detail]),
  );
  expect(details).toMatchObject({
    external_account_number: 'This field is required.',
    import_supplier: 'This field is required.',
  });
  expect(details['customers']).toContain('"customer"');
});
