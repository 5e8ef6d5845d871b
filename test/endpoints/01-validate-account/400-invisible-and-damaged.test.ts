import { afterAll, describe, expect, test } from '@jest/globals';
import { businessAccount, domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';

const ours = { import_supplier: 'SUPPLIER_FR' };

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const validate = (body: unknown) =>
  service.call('POST', '/v1/data-import/validate-account/?warnings=true', { token, body });
const post = (path: string, body: unknown) => service.call('POST', `/v1/data-import/${path}/`, { token, body });
const faults = (body: any) => body.errors?.map(({ attr, code }: any) => `${attr} ${code}`);
const warned = (body: any) => body.warnings?.map(({ attr, code }: any) => `${attr} ${code}`);
const customer = { given_name: 'Jeanne', family_name: 'Martin' };
const withCustomer = (members: object) => domesticAccount({ ...ours, customers: [{ ...customer, ...members }] });
const point = {
  identifier: '25014987360042',
  supply_type: 'ELECTRICITY' as const,
  supply_start_date: '2024-01-01',
  agreements: [{ tariff_code: 'T1', effective_from: '2024-01-01' }],
};
const withPoint = (members: object) =>
  domesticAccount({
    ...ours,
    payment_preferences: [],
    supply_addresses: [
      { customer_at_supply_address_from_date: '2024-01-01', supply_points: [{ ...point, ...members }] },
    ],
  });

test.each([
  ['\u200b', 'U+200B zero width space'],
  ['\ufeff', 'U+FEFF zero width no-break space'],
  ['\u202e', 'U+202E right-to-left override'],
  ['\u200e', 'U+200E left-to-right mark'],
  ['\u2069', 'U+2069 pop directional isolate'],
  ['\u00ad', 'U+00AD soft hyphen'],
  ['\u{e0041}', 'U+E0041'],
])('rejects %j in a key with its name, at any position', async (character, name) => {
  for (const number of [`A${character}1`, `${character}A1`, `A1${character}`]) {
    const { status, body } = await validate(domesticAccount({ ...ours, external_account_number: number }));
    expect([status, faults(body)]).toEqual([400, ['external_account_number invalid']]);
    expect(body.errors[0].detail).toContain(`the invisible character ${name}; remove it`);
  }
});

test('rejects them in every key of an account', async () => {
  const { body } = await validate(
    withPoint({
      identifier: '2501498736\u200b0042',
      agreements: [{ tariff_code: 'T\u200d1', effective_from: '2024-01-01' }],
      payment_instructions: [{ vendor: 'STRIPE', reference: 'pm_\u20601', type: 'CARD' }],
    }),
  );
  expect(faults(body)).toEqual([
    'supply_addresses.0.supply_points.0.identifier invalid',
    'supply_addresses.0.supply_points.0.agreements.0.tariff_code invalid',
    'supply_addresses.0.supply_points.0.payment_instructions.0.reference invalid',
  ]);
});

test('rejects them in the keys of businesses and attachments', async () => {
  const account = { ...ours, external_account_number: 'A\u200b1' };
  const answers = [
    await post('business', {
      import_supplier_code: 'SUPPLIER_FR',
      external_business_identifier: 'B\u200b1',
      business: { company_name: 'Boulangerie', business_contracts: [] },
    }),
    await post('account-import-process/process', {
      import_supplier_code: 'SUPPLIER_FR',
      external_account_number: 'A\u200b1',
      operations_team_name: 'Team',
    }),
    await post('notes/create', { ...account, notes: [{ body: 'x' }] }),
    await post('supply-point/populate', { prm_ids: ['2501498736004\u200b2'] }),
  ];
  expect(answers.map(({ status, body }) => [status, ...faults(body)])).toEqual([
    [400, 'external_business_identifier invalid'],
    [400, 'external_account_number invalid'],
    [400, 'external_account_number invalid'],
    [400, 'prm_ids.0 invalid'],
  ]);
});

test('removes them around names and single-line strings', async () => {
  const { status, body } = await validate(
    domesticAccount({
      ...ours,
      billing_address1: '\u200e 3 rue Haute\u202c\u2069 ',
      customers: [{ given_name: '\ufeffJeanne\u200b ', family_name: '\u00adD\u2019A\u00e9' }],
    }),
  );
  expect(status).toBe(200);
  expect([body.billing_address1, body.customers[0]]).toEqual([
    '3 rue Haute',
    { given_name: 'Jeanne', family_name: 'D\u2019A\u00e9' },
  ]);
});

test('treats a name that consists of them as absent', async () => {
  const { body } = await validate(withCustomer({ given_name: '\u200b\u2060', family_name: '\u3164 \ufe0f' }));
  expect(faults(body)).toEqual([
    'customers.0.given_name customer_given_name_required',
    'customers.0.family_name customer_family_name_required',
  ]);
  const business = await post('business', {
    import_supplier_code: 'SUPPLIER_FR',
    external_business_identifier: 'B1',
    business: { company_name: '\u200b', business_contracts: [] },
  });
  expect(faults(business.body)).toEqual(['business.company_name blank']);
});

test('rejects one inside an e-mail address by name, and removes it around the address', async () => {
  const { status, body } = await validate(withCustomer({ email: 'jeanne\u200b@example.com' }));
  expect([status, faults(body)]).toEqual([400, ['customers.0.email invalid']]);
  expect(body.errors[0].detail).toBe(
    'This is not an e-mail address. It contains the invisible character U+200B zero width space; remove it.',
  );
  const around = await validate(withCustomer({ email: '\u200ejeanne@example.com\u202c' }));
  expect([around.status, around.body.customers[0].email]).toEqual([200, 'jeanne@example.com']);
});

test('keeps emoji in notes whole', async () => {
  const text = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467} moved in \u2764\ufe0f';
  const { body } = await validate(domesticAccount({ ...ours, notes: [{ body: text }] }));
  expect(body.notes[0].body).toBe(text);
});

test('warns of U+FFFD in any string', async () => {
  const { status, body } = await validate({
    ...withCustomer({ family_name: 'Lef\ufffdvre' }),
    metadata: [{ key: 'origin', value: { city: 'Orl\ufffdans' } }],
  });
  expect(status).toBe(200);
  expect(warned(body)).toEqual([
    'customers.0.family_name replacement_character',
    'metadata.0.value.city replacement_character',
  ]);
});

describe('traces of a spreadsheet', () => {
  test('warns of accepted values', async () => {
    const { status, body } = await validate({
      ...withCustomer({ mobile: '612345678' }),
      external_account_number: '2.5E+13',
      billing_postcode: '1220',
    });
    expect(status).toBe(200);
    expect(new Set(warned(body))).toEqual(
      new Set([
        'external_account_number possible_spreadsheet_damage',
        'customers.0.mobile possible_spreadsheet_damage',
        'billing_postcode possible_spreadsheet_damage',
      ]),
    );
  });

  test.each(['44000.0', '1220,00', '4.4E+04', '#N/A', '#VALEUR!', '#######'])(
    'warns of the postcode %s',
    async (postcode) => {
      const { status, body } = await validate(domesticAccount({ ...ours, billing_postcode: postcode }));
      expect([status, warned(body)]).toEqual([200, ['billing_postcode possible_spreadsheet_damage']]);
    },
  );

  test.each(['44000', '2A004', 'SW1A 1AA', '#12', '# 5'])('does not warn of %s', async (text) => {
    const { status, body } = await validate(
      domesticAccount({ ...ours, billing_postcode: text, billing_address2: text }),
    );
    expect([status, warned(body) ?? []]).toEqual([200, []]);
  });

  test('warns of an error of a spreadsheet in a name', async () => {
    const { body } = await validate(withCustomer({ family_name: '#REF!' }));
    expect(warned(body)).toEqual(['customers.0.family_name possible_spreadsheet_damage']);
  });

  test('names the cause in the detail of a rejected value', async () => {
    const detailOf = async (payload: unknown) => (await validate(payload)).body.errors.map((one: any) => one.detail)[0];
    expect(await detailOf(withPoint({ identifier: '2.50E+13' }))).toMatch(/^A PRM has 14 digits\. This is scientific/);
    expect(await detailOf(withPoint({ identifier: '5014987360042' }))).toMatch(/has 13 digits: .* leading zero/);
    expect(await detailOf(withCustomer({ mobile: '3.36E+10' }))).toMatch(/scientific notation/);
    expect(await detailOf(withCustomer({ mobile: '709123456' }))).toMatch(/leading zero/);
    expect(await detailOf(withCustomer({ date_of_birth: '29221' }))).toMatch(/stores for 1980-01-01/);
    expect(await detailOf(withCustomer({ date_of_birth: 29_221 }))).toMatch(/stores for 1980-01-01/);
    expect(
      await detailOf(businessAccount({ ...ours, business: { siret: '6.04876E+13' }, account_contracts: [] })),
    ).toMatch(/scientific notation/);
  });
});

test('rejects a number beyond all digits where a day is required', async () => {
  const body = JSON.stringify(withCustomer({ date_of_birth: 'x' })).replace('"x"', '1e308');
  const response = await fetch(`${service.url}/v1/data-import/validate-account/`, {
    method: 'POST',
    headers: { authorization: `Token ${token}`, 'content-type': 'application/json' },
    body,
  });
  expect([response.status, faults(await response.json())]).toEqual([400, ['customers.0.date_of_birth invalid']]);
});

test('treats 9999-12-31 as absent at the end of a period, and rejects it as a day elsewhere', async () => {
  const agreement = { tariff_code: 'T1', effective_from: '2024-01-01' };
  const open = await validate(withPoint({ agreements: [{ ...agreement, effective_to: '9999-12-31' }] }));
  expect(open.status).toBe(200);
  expect(open.body.supply_addresses[0].supply_points[0].agreements).toEqual([agreement]);
  const { body } = await validate(withPoint({ supply_start_date: '9999-12-31' }));
  expect(faults(body)).toEqual(['supply_addresses.0.supply_points.0.supply_start_date invalid']);
  expect(body.errors[0].detail).not.toMatch(/omit/i);
});
