import { describe, expect, test } from '@jest/globals';
import {
  ACCOUNT_RULES_VERSION,
  cutNulls,
  checkAccount,
} from '../../src/account-import/validate/account-payload.validation.ts';
import type { AccountPayload } from '../../src/accounts/account-payload.schema.ts';
import { changed, facts, faultsOf, point, term } from '../support/account-faults.ts';
import { businessAccount, domesticAccount, siretOf, supplyPoint } from '../support/account-payload.ts';

test('accepts an account of 10,000 items in all lists, and rejects one more with the longest list named', () => {
  const many = (count: number, item: (index: number) => unknown) =>
    Array.from({ length: count }, (_, index) => item(index));
  const account = (lists: object) => ({
    external_account_number: 'MANY',
    import_supplier: 'BOREAL',
    customers: domesticAccount().customers!.slice(0, 1),
    ...lists,
  });
  expect(faultsOf(account({ account_campaigns: many(9_999, (index) => ({ slug: `c-${index}` })) }))).toEqual([]);
  expect(faultsOf(account({ account_campaigns: many(10_000, (index) => ({ slug: `c-${index}` })) }))).toEqual([
    'too_many_rows account_campaigns',
  ]);
  const notes = many(2, (note) => ({
    document_paths: many(3_500, (index) => ({ document_path: `${note}/${index}` })),
  }));
  expect(faultsOf(account({ notes, account_campaigns: many(2_998, (index) => ({ slug: `c-${index}` })) }))).toEqual([
    'too_many_rows notes',
  ]);
  expect(checkAccount(account({ notes: many(10_000, () => ({ body: 'b' })) }), facts).violations).toMatchObject([
    { detail: expect.stringContaining('10001 items in all its lists together, 10000 of them in notes') },
  ]);
});

// Changes that must not be rejected.
const acceptedRows: ['domestic' | 'business', string, unknown][] = [
  ['domestic', 'account_type', undefined],
  ['domestic', 'account_type', ''],
  ['domestic', 'account_type', 'DOMESTIC_VACANT'],
  ['business', 'account_type', 'BUSINESS_OCCUPIER'],
  ['business', 'account_type', 'PORTFOLIO_LEAD'],
  ['business', 'customers.0.family_name', undefined],
  ['business', 'business.siret', undefined],
  ['business', 'business.business_contract_identifier', ''],
  ['business', 'business.siret', ` ${siretOf(1).replace(/(...)(...)(...)/, '$1 $2.$3 ')} `],
  ['domestic', 'account_contracts', []],
  ['domestic', 'last_billed_to_date', ''],
  ['domestic', 'last_billed_to_date', '2024-02-29'],
  ['domestic', 'customers.0.email', ''],
  ['domestic', 'customers.0.mobile', '+4915112345678'],
  ['domestic', 'customers.0.mobile', '+33809685772'],
  ['domestic', 'customers.0.date_of_birth', '2026-11-21'],
  ['domestic', 'metadata.0.value', { __proto__: null, big: JSON.rawJSON('12345678901234567890'), deceased: null }],
  ['domestic', `${point}.payment_schedules.0.frequency`, ''],
  ['domestic', `${point}.agreements.1.effective_from`, '2024-01-01'],
  ['domestic', `${point}.consent_data`, {}],
  [
    'domestic',
    'supply_addresses',
    [
      {
        customer_at_supply_address_from_date: '2020-01-01',
        supply_points: [
          { ...supplyPoint('GAS', 1), identifier: 'GI123456' },
          supplyPoint('ELECTRICITY', 1),
          supplyPoint('GAS', 1),
        ],
      },
    ],
  ],
  ['domestic', 'statements.0.bill_period_to_date', '2024-07-01'],
  ['domestic', 'payment_preferences.0.type', 'ACTIVE_EXISTING'],
  ['business', `${term}.2.supply_type`, ''],
  ['business', `${term}.4.time_series_specification_schedules`, [1, null, { any: 'thing' }]],
];

test.each(acceptedRows)('accepts a %s account: %s = %j', (base, place, value) => {
  expect(faultsOf(changed(base, place, value))).toEqual([]);
});

test('accepts no customers and at most one address for an unknown occupier', () => {
  const base = { unknown_occupier: true, customers: undefined };
  const addresses = [
    domesticAccount().supply_addresses![0]!,
    { customer_at_supply_address_from_date: '2020-01-01', supply_points: [] },
  ];
  expect(faultsOf(domesticAccount(base))).toEqual([]);
  expect(faultsOf(domesticAccount({ ...base, customers: [] }))).toEqual([]);
  expect(faultsOf(domesticAccount({ ...base, supply_addresses: addresses }))).toEqual([
    'occupier_account_with_multiple_supply_addresses supply_addresses',
  ]);
});

describe('the returned account', () => {
  test('has the sent values, with trimmed strings and without undocumented members', () => {
    const sent = businessAccount() as Record<string, unknown>;
    const payload = JSON.parse(JSON.stringify({ ...sent, billing_postcode: '\t 68000 \n', colour: 'red' }));
    payload.customers[0].shoe_size = 43;
    payload.account_contracts[0].versions[0].terms[7].metadata = {};
    const { data: account, violations } = checkAccount(payload, facts);
    expect(violations).toEqual([]);
    expect(account).toEqual(businessAccount());
  });

  test('has no member that JSON smuggles in under built-in names', () => {
    const text = JSON.stringify(domesticAccount()).replace(
      '{',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},',
    );
    const { data: account, violations } = checkAccount(JSON.parse(text), facts);
    expect(violations).toEqual([]);
    expect(Object.keys(account).sort()).toEqual(Object.keys(domesticAccount()).sort());
    expect(Object.getPrototypeOf(account)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('is stored without nulls at documented places, and with those of opaque values', () => {
    const stored = cutNulls(checkAccount(domesticAccount(), facts).data) as AccountPayload;
    expect(stored.customers![1]).toEqual({
      title: 'M.',
      given_name: 'Anatole',
      family_name: 'Zeller',
      landline: '',
      date_of_birth: '1976-11-30',
      deceased: 'Reported',
    });
    expect(stored.metadata).toEqual(domesticAccount().metadata);
  });
});

describe('closed describing sets', () => {
  test.each([
    ['sales_channel', 'domestic', 'sales_channel'],
    ['business_type', 'business', 'business.business_type'],
    ['cheque_status', 'domestic', 'supplementary_ledgers.0.energy_cheques.0.status'],
    ['fee_type', 'business', `${term}.2.fee_type`],
    ['rate_band', 'business', `${term}.1.schedules.0.items.0.rate_band`],
  ] as const)('%s', (set, base, place) => {
    const payload = base === 'domestic' ? domesticAccount() : businessAccount();
    expect(faultsOf(payload, { [set]: ['OTHER'] })).toEqual([`invalid_choice ${place}`]);
    expect(faultsOf(changed(base, place, 'OTHER'), { [set]: ['OTHER'] })).toEqual([]);
  });
  test('are not checked on an absent value', () => {
    expect(faultsOf(domesticAccount({ sales_channel: '' }), { sales_channel: ['OTHER'], constructor: ['x'] })).toEqual(
      [],
    );
  });
});

test('reports all violations at once, in the order of the payload as sent', () => {
  const sent = {
    zzz: 1,
    statements: 3,
    customers: [{ landline: '1', family_name: 7 }, 5],
    supply_addresses: [{}],
    account_type: 'X',
    import_supplier: 'BOREAL',
  };
  expect(faultsOf(sent)).toEqual([
    'not_a_list statements',
    'invalid_phone_number customers.0.landline',
    'invalid customers.0.family_name',
    'invalid customers.1.non_field_errors',
    'required supply_addresses.0.customer_at_supply_address_from_date',
    'required supply_addresses.0.supply_points',
    'invalid_choice account_type',
    'required external_account_number',
  ]);
});

test.each([[[]], [null], ['text'], [3], [JSON.rawJSON('1e9')], [undefined]])(
  'rejects a body that is no object: %j',
  (body) => {
    expect(faultsOf(body)).toEqual(['invalid non_field_errors']);
  },
);

test('keeps the version of the rules short and stable within a process', () => {
  expect(ACCOUNT_RULES_VERSION).toMatch(/^\d+-[0-9a-f]{12}$/);
});
