import { afterAll, expect, test } from '@jest/globals';
import { businessAccount, domesticAccount, meterPointNumber, supplyPoint } from '../../support/account-payload.ts';
import { expectedAccount, expectedRows, storedRows } from '../../support/expected-rows.ts';
import { startService } from '../../support/harness.ts';

const ours = { import_supplier: 'SUPPLIER_FR' };

const service = await startService({ worker: true });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);

const stage = (body: unknown) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
const create = (number: string, more: object = {}) =>
  service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: {
      external_account_number: number,
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: 'Migration',
      ...more,
    },
  });

/** Without the reference to a business contract, which must exist; the account has its SIRET instead. */
function firm(sequence: number) {
  const account = businessAccount(ours, sequence);
  const { business_contract_identifier: _label, ...business } = account.business as NonNullable<
    typeof account.business
  >;
  return { ...account, business };
}

const withinOneAddress = domesticAccount(ours, 3);

test.each<[string, any]>([
  ['a household', domesticAccount(ours, 1)],
  ['a business with terms of all nine types', firm(2)],
  [
    'a household with several addresses and points',
    {
      ...withinOneAddress,
      supply_addresses: [
        { supply_address1: 'a', customer_at_supply_address_from_date: '2020-01-01', supply_points: [] },
        {
          supply_address1: 'b',
          customer_at_supply_address_from_date: '2020-01-02',
          supply_points: [supplyPoint('GAS', 31), supplyPoint('ELECTRICITY', 32)],
        },
        { ...withinOneAddress.supply_addresses?.[0] },
        {
          supply_address1: '',
          supply_postcode: '1',
          customer_at_supply_address_from_date: '2020-01-03',
          supply_points: [
            { identifier: 'GI000003', supply_type: 'GAS', supply_start_date: '2024-02-29' },
            {
              identifier: meterPointNumber(2, 33),
              supply_type: 'ELECTRICITY',
              supply_start_date: '2199-12-31',
              billing_frequency: 12,
              consent_data: {},
              agreements: [],
              payment_instructions: [],
              payment_schedules: [
                { means: 'CARD', start_date: '2024-01-01' },
                { means: 'MANUAL', start_date: '2024-01-02', frequency: '', amount: '' },
                { means: 'DD', start_date: '2024-01-03', amount: '0.01' },
                { means: 'DD', start_date: '2024-01-04', amount: 999_999_999_999_999 },
              ],
            },
          ],
        },
      ],
    },
  ],
  [
    'the least that an account may be',
    { ...ours, external_account_number: 'LEAST', customers: [{ given_name: 'A', family_name: 'B' }] },
  ],
  [
    'an unknown occupier',
    { ...ours, external_account_number: 'NOBODY', account_type: 'DOMESTIC_OCCUPIER', unknown_occupier: true },
  ],
  [
    'empty texts everywhere',
    {
      ...ours,
      external_account_number: 'EMPTY',
      account_type: '',
      billing_address1: '',
      sales_channel: '',
      sales_subchannel: '',
      last_billed_to_date: '',
      customers: [
        {
          title: '',
          given_name: 'A',
          family_name: 'B',
          email: '',
          mobile: '',
          landline: '',
          date_of_birth: '',
          deceased: '',
          customer_preferences: {},
        },
      ],
      statements: [
        {
          statement_id: 'S',
          bill_period_from_date: '2024-01-01',
          bill_period_to_date: '2024-01-01',
          statement_path: '',
        },
      ],
      notes: [{ body: '', created_at: '', document_paths: [{ document_path: '//deep//path/' }] }],
      account_campaigns: [{ slug: 's', campaign_note: '' }],
      supplementary_ledgers: [
        { ledger_code: 'A' },
        {
          ledger_code: 'B',
          energy_cheques: [
            {
              number: '1',
              amount: 0,
              source: '',
              status: '',
              protection_from: '',
              protection_to: '',
              valid_to: '',
              asp_remittance_ref: '',
            },
          ],
        },
      ],
    },
  ],
  [
    'phone numbers of all forms',
    {
      ...ours,
      external_account_number: 'PHONES',
      customers: [
        '06 12 34 56 78',
        '0033612345678',
        '+44 20 7946 0958',
        '+33 (0)3 89 20 20 20',
        '0800 123 456',
        '+262692123456',
      ].map((mobile, index) => ({ given_name: 'A', family_name: String(index), mobile, landline: '03.89.20.20.20' })),
    },
  ],
  ['a SIRET with blanks and dots', { ...firm(4), business: { siret: '732 829 320.00074' } }],
])('%s: stores every part of the payload in its table', async (_name, account) => {
  expect((await stage(account)).status).toBe(201);
  const answer = await create(account.external_account_number);
  expect(answer).toMatchObject({
    status: 201,
    body: { service_account_number: expect.stringMatching(/^A-[2-9A-HJ-NP-Z]{9}$/) },
  });
  expect(Object.keys(answer.body)).toEqual(['service_account_number']);
  const stored = await storedRows(service.database, answer.body.service_account_number);
  expect(stored.account).toEqual(expectedAccount(account));
  expect(stored.children).toEqual(expectedRows(account));
});

test('stores a SIRET with no-break blanks, as word processors write it, as its 14 digits', async () => {
  const account = { ...firm(5), business: { siret: '732\u00a0829\u00a0320\u202f00074' } };
  expect((await stage(account)).status).toBe(201);
  const answer = await create(account.external_account_number);
  expect((await storedRows(service.database, answer.body.service_account_number)).account).toMatchObject({
    siret: '73282932000074',
  });
});

test('stores free values to the last digit', async () => {
  const text = JSON.stringify(domesticAccount({ ...ours, metadata: [{ key: 'k', value: { n: 0 } }] }, 10)).replace(
    '{"n":0}',
    '{"n":[123456789012345678901234567890.123,1e400]}',
  );
  await stage(text);
  expect((await create('HOME-00000010')).status).toBe(201);
  const { rows } = await service.database.pool.query(
    `select m.value #>> '{n,0}' as long, (m.value #>> '{n,1}')::numeric = 1e400::numeric as huge from account_metadata m join account a on a.id = m.account_id where a.external_account_number = 'HOME-00000010'`,
  );
  expect(rows).toEqual([{ long: '123456789012345678901234567890.123', huge: true }]);
});

test('answers a hundred concurrent creations of one account with one 201 and the same number', async () => {
  const account = domesticAccount(ours, 20);
  const number = account.external_account_number;
  await stage(account);
  const answers = await Promise.all(Array.from({ length: 100 }, () => create(number)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const others = answers.filter(({ status }) => status !== 201);
  expect(new Set(others.map(({ status, body }) => `${status} ${body.code} ${body.external_account_number}`))).toEqual(
    new Set([`400 account_import_process_already_imported ${number}`]),
  );
  expect(new Set(answers.map(({ body }) => body.service_account_number)).size).toBe(1);
  const { rows } = await service.database.pool.query('select number from account where external_account_number = $1', [
    number,
  ]);
  expect(rows).toEqual([{ number: answers[0]?.body.service_account_number }]);
});

test('gives a hundred concurrent accounts a hundred numbers, also when they share supply points', async () => {
  const accounts = Array.from({ length: 100 }, (_, index) => {
    const account = domesticAccount(ours, 1_000 + index);
    return {
      ...account,
      payment_preferences: [],
      supply_addresses: [
        {
          ...account.supply_addresses![0]!,
          supply_points: [supplyPoint('ELECTRICITY', 900 + (index % 7)), supplyPoint('GAS', 900 + ((index * 3) % 5))],
        },
      ],
    };
  });
  await Promise.all(accounts.map(stage));
  const answers = await Promise.all(accounts.map(({ external_account_number: number }) => create(number)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 100 }, () => 201));
  expect(new Set(answers.map(({ body }) => body.service_account_number)).size).toBe(100);
});

test('creates the last staging', async () => {
  await stage(domesticAccount(ours, 21));
  await stage(domesticAccount({ ...ours, billing_address1: 'the newer one' }, 21));
  const { body } = await create('HOME-00000021');
  expect((await storedRows(service.database, body.service_account_number)).account).toMatchObject({
    billing_address1: 'the newer one',
  });
});

test('creates with dry_run false, and stores the team of the account', async () => {
  await stage(domesticAccount(ours, 22));
  const answer = await create('HOME-00000022', { dry_run: false });
  expect(answer.status).toBe(201);
  const { rows } = await service.database.pool.query(
    'select operations_team, created_at from account where number = $1',
    [answer.body.service_account_number],
  );
  expect(rows[0].operations_team).toBe('Migration');
});

test('creates a number with slashes, quotes and emoji', async () => {
  const number = `a/b%2F"\\' ;--😀`;
  await stage(domesticAccount({ ...ours, external_account_number: number }, 23));
  const answer = await create(number);
  expect(answer.status).toBe(201);
});

test("creates staged data that is still valid after the supplier's options changed", async () => {
  await service.call('PUT', '/v1/operations/import-suppliers/MOVING/', {
    token: service.operatorToken,
    body: { name: 'Moving' },
  });
  const moving = await service.supplierToken(['MOVING']);
  await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
    token: moving,
    body: domesticAccount({ import_supplier: 'MOVING' }, 24),
  });
  await service.call('PUT', '/v1/operations/import-suppliers/MOVING/', {
    token: service.operatorToken,
    body: { options: { closed_value_sets: { sales_channel: ['DIRECT'] } } },
  });
  const answer = await service.call('POST', '/v1/data-import/account-import-process/process/', {
    token: moving,
    body: {
      external_account_number: 'HOME-00000024',
      import_supplier_code: 'MOVING',
      operations_team_name: 'Migration',
    },
  });
  expect(answer).toMatchObject({ status: 201, body: { service_account_number: expect.any(String) } });
});

test('creates an account of a supplier that is still unknown to the worker', async () => {
  const put = (code: string, body: object) =>
    service.call('PUT', `/v1/operations/import-suppliers/${code}/`, { token: service.operatorToken, body });
  const createFor = async (code: string) => {
    await put(code, {});
    const supplier = await service.supplierToken([code]);
    await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
      token: supplier,
      body: domesticAccount({ import_supplier: code }, 25),
    });
    // Staged under other options than today's, so the worker validates it again.
    await put(code, { options: { closed_value_sets: { sales_channel: ['DIRECT'] } } });
    return service.call('POST', '/v1/data-import/account-import-process/process/', {
      token: supplier,
      body: { external_account_number: 'HOME-00000025', import_supplier_code: code, operations_team_name: 'Migration' },
    });
  };
  for (const code of ['YOUNG_1', 'YOUNG_2', 'YOUNG_3']) expect(await createFor(code)).toMatchObject({ status: 201 });
});
