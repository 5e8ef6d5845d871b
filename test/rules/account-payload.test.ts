import { describe, expect, test } from '@jest/globals';
import {
  ACCOUNT_RULES_VERSION,
  cutNulls,
  validateAccountPayload,
} from '../../src/account-import/validate/account-payload.validation.ts';
import type { ClosedValueSets } from '../../src/suppliers/closed-value-set.rules.ts';
import {
  businessAccount,
  businessContract,
  domesticAccount,
  meterPointNumber,
  siretOf,
  supplyPoint,
} from '../support/account-payload.ts';

const facts = { today: '2026-11-21', supplierCodes: new Set(['BOREAL']) };

/** `code attr` of every violation, in the order given. */
function faultsOf(payload: unknown, closed?: ClosedValueSets): string[] {
  const { violations } = validateAccountPayload(payload, { ...facts, closedValueSets: () => closed });
  return violations.map(({ code, attr }) => `${code} ${attr}`);
}

/** A domestic account in which the value at a dotted place is replaced, or removed when `value` is undefined. */
function changed(base: 'domestic' | 'business', place: string, value: unknown): unknown {
  const payload = structuredClone(base === 'domestic' ? domesticAccount() : businessAccount()) as never;
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

const point = 'supply_addresses.0.supply_points.0';
const term = 'account_contracts.0.versions.0.terms';
const twice = <T>(item: T): [T, T] => [item, structuredClone(item)];

// place that is changed, new value, violations
const domesticRows: [string, unknown, ...string[]][] = [
  ['external_account_number', undefined, 'required external_account_number'],
  ['external_account_number', '  ', 'blank external_account_number'],
  ['external_account_number', null, 'null external_account_number'],
  ['external_account_number', 12, 'invalid external_account_number'],
  ['external_account_number', 'a\tb', 'invalid external_account_number'],
  ['external_account_number', 'a'.repeat(129), 'max_length external_account_number'],
  ['external_account_number', 'a\u0000b', 'null_characters_not_allowed external_account_number'],
  ['external_account_number', 'a\ud800b', 'surrogate_characters_not_allowed external_account_number'],
  ['import_supplier', 'AUSTRAL', 'invalid_choice import_supplier'],
  ['import_supplier', JSON.rawJSON('12345678901234567'), 'invalid import_supplier'],
  ['account_type', 'CASTLE', 'invalid_choice account_type'],
  ['account_type', 'MANAGED', 'managed_accounts_are_not_allowed account_type'],
  ['account_type', 'BUSINESS', 'required business'],
  ['account_type', 'PORTFOLIO_LEAD', 'required business'],
  ['business', { siret: siretOf(1) }, 'business_fields_provided_for_domestic_accounts business'],
  ['account_contracts', [businessContract('X')], 'business_fields_provided_for_domestic_accounts account_contracts'],
  ['unknown_occupier', 'true', 'invalid unknown_occupier'],
  ['unknown_occupier', true, 'customer_with_unknown_occupier customers'],
  ['billing_address1', 'é'.repeat(513), 'max_length billing_address1'],
  ['last_billed_to_date', '2023-02-29', 'invalid last_billed_to_date'],
  ['last_billed_to_date', '2024-02-30', 'invalid last_billed_to_date'],
  ['last_billed_to_date', '2024-1-1', 'invalid last_billed_to_date'],
  ['last_billed_to_date', '1899-12-31', 'invalid last_billed_to_date'],
  ['last_billed_to_date', '2024-06-30T00:00:00Z', 'invalid last_billed_to_date'],
  ['customers', undefined, 'required customers'],
  ['customers', [], 'empty customers'],
  ['customers', {}, 'not_a_list customers'],
  ['customers.1', [], 'invalid customers.1.non_field_errors'],
  ['customers.1', null, 'null customers.1'],
  ['customers.1.given_name', undefined, 'customer_given_name_required customers.1.given_name'],
  ['customers.1.family_name', ' ', 'customer_family_name_required customers.1.family_name'],
  ['customers.0.title', 'x'.repeat(21), 'max_length customers.0.title'],
  ['customers.0.email', 'nobody', 'invalid customers.0.email'],
  ['customers.0.email', `${'a'.repeat(250)}@b.fr`, 'max_length customers.0.email'],
  ['customers.0.mobile', '+3361234567', 'invalid_phone_number customers.0.mobile'],
  ['customers.0.landline', 'call me', 'invalid_phone_number customers.0.landline'],
  ['customers.0.date_of_birth', '2026-11-22', 'date_in_future customers.0.date_of_birth'],
  ['customers.0.customer_preferences.opted_into_sms', 1, 'invalid customers.0.customer_preferences.opted_into_sms'],
  ['customers.0.customer_preferences', 'none', 'invalid customers.0.customer_preferences.non_field_errors'],
  [
    'supply_addresses.1',
    domesticAccount({}, 2).supply_addresses![0],
    'duplicate_supply_addresses_found supply_addresses.1.non_field_errors',
  ],
  [
    'supply_addresses.0.customer_at_supply_address_from_date',
    '',
    'blank supply_addresses.0.customer_at_supply_address_from_date',
  ],
  [
    'supply_addresses.0.supply_points',
    undefined,
    'required supply_addresses.0.supply_points',
    'supply_point_not_found payment_preferences.0.supply_point_identifier',
    'supply_point_not_found payment_preferences.1.supply_point_identifier',
  ],
  [
    `${point}.identifier`,
    '123',
    `invalid_prm ${point}.identifier`,
    'supply_point_not_found payment_preferences.0.supply_point_identifier',
  ],
  [
    'supply_addresses.0.supply_points.1.identifier',
    'GI12345',
    'invalid_pce supply_addresses.0.supply_points.1.identifier',
    'supply_point_not_found payment_preferences.1.supply_point_identifier',
  ],
  [
    'supply_addresses.0.supply_points.2',
    supplyPoint('GAS', 1),
    'duplicate_meter_points_on_different_supply_addresses_provided supply_addresses.0.supply_points.2.identifier',
  ],
  [`${point}.supply_type`, 'STEAM', `invalid_choice ${point}.supply_type`],
  [`${point}.supply_type`, '', `blank ${point}.supply_type`],
  [`${point}.billing_frequency`, 0, `min_value ${point}.billing_frequency`],
  [`${point}.billing_frequency`, 13, `max_value ${point}.billing_frequency`],
  [`${point}.billing_frequency`, 1.5, `invalid ${point}.billing_frequency`],
  [`${point}.billing_frequency`, JSON.rawJSON('1e0'), `invalid ${point}.billing_frequency`],
  [
    `${point}.agreements.0.effective_to`,
    '2022-09-30',
    `start_date_later_than_end_date ${point}.agreements.0.effective_to`,
  ],
  [
    `${point}.agreements.0.effective_to`,
    '2022-10-01',
    `start_date_same_as_end_date ${point}.agreements.0.effective_to`,
  ],
  [
    `${point}.agreements.0.effective_to`,
    '2023-10-02',
    `gaps_or_overlaps_in_agreement_dates ${point}.agreements.1.effective_from`,
  ],
  [
    `${point}.agreements.0.effective_to`,
    undefined,
    `gaps_or_overlaps_in_agreement_dates ${point}.agreements.1.effective_from`,
  ],
  [`${point}.agreements.0.agreed_at`, '2022-09-12T16:20Z', `invalid ${point}.agreements.0.agreed_at`],
  [`${point}.agreements.0.agreed_at`, '2022-09-12T16:20:05', `invalid ${point}.agreements.0.agreed_at`],
  [`${point}.agreements.0.addons.0`, {}, `required ${point}.agreements.0.addons.0.band`],
  [`${point}.payment_schedules.0.amount`, 0, `zero_payment_schedule_amount ${point}.payment_schedules.0.amount`],
  [`${point}.payment_schedules.0.amount`, -0.01, `min_value ${point}.payment_schedules.0.amount`],
  [`${point}.payment_schedules.0.amount`, '-84.50', `min_value ${point}.payment_schedules.0.amount`],
  [`${point}.payment_schedules.0.amount`, '84.505', `max_decimal_places ${point}.payment_schedules.0.amount`],
  [`${point}.payment_schedules.0.amount`, 84.505, `max_decimal_places ${point}.payment_schedules.0.amount`],
  [`${point}.payment_schedules.0.amount`, 0.01],
  [`${point}.payment_schedules.0.amount`, '0.00', `zero_payment_schedule_amount ${point}.payment_schedules.0.amount`],
  [`${point}.payment_schedules.0.amount`, true, `invalid ${point}.payment_schedules.0.amount`],
  [`${point}.payment_schedules.0.amount`, '1e3', `invalid ${point}.payment_schedules.0.amount`],
  [`${point}.payment_schedules.0.amount`, '1234567890.123456', `max_digits ${point}.payment_schedules.0.amount`],
  [
    `${point}.payment_schedules.0.amount`,
    JSON.rawJSON('1234567890.123456'),
    `max_digits ${point}.payment_schedules.0.amount`,
  ],
  [`${point}.payment_schedules.0.amount`, JSON.rawJSON('1e3'), `invalid ${point}.payment_schedules.0.amount`],
  [
    `${point}.payment_schedules.0.day_of_month`,
    32,
    `invalid_payment_day_for_payment_schedule ${point}.payment_schedules.0.day_of_month`,
  ],
  [`${point}.payment_schedules.0.frequency`, 'DAILY', `invalid_choice ${point}.payment_schedules.0.frequency`],
  [`${point}.payment_schedules.0.means`, 'GOLD', `invalid_choice ${point}.payment_schedules.0.means`],
  [
    `${point}.payment_schedules.1.start_date`,
    '2022-10-11',
    `payment_schedule_date_overlaps ${point}.payment_schedules.1.start_date`,
  ],
  [
    `${point}.payment_instructions.0.reference`,
    'RUM-OTHER',
    'active_new_payment_preference_invalid_instruction_identifier payment_preferences.0.instruction_reference_params.vendor_reference',
  ],
  [`${point}.consent_data`, { GAS_INDEXES: true }, `invalid ${point}.consent_data.GAS_INDEXES`],
  [
    'supply_addresses.0.supply_points.1.consent_data.ELEC_CURVES',
    true,
    'invalid supply_addresses.0.supply_points.1.consent_data.ELEC_CURVES',
  ],
  ['statements.0.bill_period_to_date', '2024-06-30', 'start_date_later_than_end_date statements.0.bill_period_to_date'],
  ['statements.1.statement_id', 'BILL-07-1', 'unique statements.1.statement_id'],
  ['last_billed_to_date', '2027-11-23', 'date_too_far_ahead last_billed_to_date'],
  ['last_billed_to_date', '2199-12-31', 'date_too_far_ahead last_billed_to_date'],
  ['last_billed_to_date', '2027-11-22'],
  ['statements.0.bill_period_to_date', '2027-11-23', 'date_too_far_ahead statements.0.bill_period_to_date'],
  ['statements.0.statement_path', 'bills/facture..2026.pdf'],
  ['statements.0.statement_path', 's3://bucket/bill.pdf', 'document_path_outside_root statements.0.statement_path'],
  ['statements.0.statement_path', 'bills/\u202efdp.exe', 'invalid statements.0.statement_path'],
  ['statements.0.statement_path', 'bills/../secret.pdf', 'document_path_outside_root statements.0.statement_path'],
  [
    'supplementary_ledgers',
    twice({ ledger_code: 'A' }),
    'duplicate_ledger_entries_found supplementary_ledgers.1.ledger_code',
  ],
  [
    'supplementary_ledgers.0.energy_cheques',
    twice({ number: '7', amount: 1 }),
    'unique supplementary_ledgers.0.energy_cheques.1.number',
  ],
  ['supplementary_ledgers.0.energy_cheques.0.amount', -1, 'min_value supplementary_ledgers.0.energy_cheques.0.amount'],
  ['supplementary_ledgers.0.energy_cheques.0.amount', '1', 'invalid supplementary_ledgers.0.energy_cheques.0.amount'],
  [
    'supplementary_ledgers.0.energy_cheques.0.protection_to',
    '2024-03-31',
    'start_date_later_than_end_date supplementary_ledgers.0.energy_cheques.0.protection_to',
  ],
  ['notes.0', { body: '', document_paths: [] }, 'note_body_or_document_path_not_found notes.0.non_field_errors'],
  ['notes.0.body', 'n'.repeat(65_537), 'max_length notes.0.body'],
  [
    'notes.1.document_paths.0.document_path',
    'a\\b',
    'document_path_outside_root notes.1.document_paths.0.document_path',
  ],
  ['account_campaigns', twice({ slug: 'a' }), 'duplicate_account_campaigns account_campaigns.1.slug'],
  ['metadata', twice({ key: 'a', value: {} }), 'metadata_has_duplicate_keys metadata.1.key'],
  ['metadata.0.value', [], 'not_a_dict metadata.0.value'],
  ['metadata.0.value', JSON.rawJSON('1e5'), 'not_a_dict metadata.0.value'],
  ['metadata.0.value', { a: { b: ['x\u0000'] } }, 'null_characters_not_allowed metadata.0.value.a.b.0'],
  ['metadata.0.value', { 'a\udc00': 1 }, 'surrogate_characters_not_allowed metadata.0.value'],
  ['payment_preferences.0.type', 'LAZY', 'invalid_choice payment_preferences.0.type'],
  [
    'payment_preferences.0.instruction_reference_params',
    undefined,
    'required payment_preferences.0.instruction_reference_params',
  ],
  [
    'payment_preferences.0.instruction_reference_params',
    {},
    'required payment_preferences.0.instruction_reference_params.vendor_name',
    'required payment_preferences.0.instruction_reference_params.vendor_reference',
  ],
  [
    'payment_preferences.1.instruction_reference_params',
    { vendor_name: 'a', vendor_reference: 'b' },
    'fields_are_mutually_exclusive payment_preferences.1.instruction_reference_params',
  ],
  [
    'payment_preferences.1.supply_point_identifier',
    '20000000000099',
    'supply_point_not_found payment_preferences.1.supply_point_identifier',
  ],
  [
    'payment_preferences.1.supply_point_identifier',
    meterPointNumber(2, 1),
    'unique payment_preferences.1.supply_point_identifier',
  ],
];

const businessRows: [string, unknown, ...string[]][] = [
  [
    'account_type',
    '',
    'business_fields_provided_for_domestic_accounts business',
    'business_fields_provided_for_domestic_accounts account_contracts',
  ],
  ['business', undefined, 'required business'],
  ['business', { siret: '' }, 'business_field_required business.non_field_errors'],
  ['business.siret', '12345678901234', 'invalid_siret business.siret'],
  ['business.siret', siretOf(2), 'siren_mismatch business.details.0.value'],
  [
    'business.details',
    [
      { key: 'a', value: '1' },
      { key: 'a', value: '2' },
    ],
    'children_with_duplicate_values business.details.1.key',
  ],
  ['business.details.1.value', '', 'blank business.details.1.value'],
  [
    'account_contracts',
    twice(businessContract('SAME')),
    'duplicate_contract_identifiers account_contracts.1.identifier',
  ],
  [
    'account_contracts.0.valid_from_date',
    '2024-02-01',
    'contract_versions_does_not_include_current account_contracts.0.versions',
  ],
  ['account_contracts.0.versions', [], 'empty account_contracts.0.versions'],
  [
    'account_contracts.0.versions.1.applicable_at_date',
    '2024-01-01',
    'unique account_contracts.0.versions.1.applicable_at_date',
  ],
  [`${term}.0`, 'free', `invalid ${term}.0.non_field_errors`],
  [`${term}.0`, {}, `required ${term}.0.term_type`],
  [`${term}.0.term_type`, null, `null ${term}.0.term_type`],
  [`${term}.0.term_type`, ' ', `blank ${term}.0.term_type`],
  [`${term}.0.term_type`, 4, `invalid ${term}.0.term_type`],
  [`${term}.0.term_type`, 'BILL_DUE_DATE', `invalid_choice ${term}.0.term_type`],
  [`${term}.0.is_variable`, 'yes', `invalid ${term}.0.is_variable`],
  [`${term}.0.metadata`, 'x', `not_a_dict ${term}.0.metadata`],
  [`${term}.1.schedules`, [], `empty ${term}.1.schedules`],
  [`${term}.1.schedules.0.items.0.price_per_unit`, 0.14, `invalid ${term}.1.schedules.0.items.0.price_per_unit`],
  [
    `${term}.1.schedules.0.items.0.price_per_unit`,
    '0.1234567890123456',
    `max_digits ${term}.1.schedules.0.items.0.price_per_unit`,
  ],
  [`${term}.2.amount`, undefined, `required ${term}.2.amount`],
  [`${term}.2.amount`, '', `blank ${term}.2.amount`],
  [`${term}.2.amount`, ' ', `blank ${term}.2.amount`],
  [`${term}.2.supply_type`, 'STEAM', `invalid_choice ${term}.2.supply_type`],
  [`${term}.3.multiplier`, 0, `min_value ${term}.3.multiplier`],
  [`${term}.3.period_start_month`, 13, `max_value ${term}.3.period_start_month`],
  [`${term}.4.schedules.0.effective_period`, {}, `required ${term}.4.schedules.0.effective_period.start_date`],
  [`${term}.4.schedules.0.is_eligible`, 'true', `invalid ${term}.4.schedules.0.is_eligible`],
  [`${term}.5.guarantee_of_origin_percentage`, 101, `max_value ${term}.5.guarantee_of_origin_percentage`],
  [`${term}.6.pays_by_direct_debit`, undefined, `required ${term}.6.pays_by_direct_debit`],
  [`${term}.7.days`, -1, `min_value ${term}.7.days`],
  [`${term}.8.overrides.0.override_value`, 3, `invalid ${term}.8.overrides.0.override_value`],
];

test('an account of 10,000 items in all its lists is taken, one of more is not; the list that most of them are in is named', () => {
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
  expect(
    validateAccountPayload(account({ notes: many(10_000, () => ({ body: 'b' })) }), facts).violations,
  ).toMatchObject([
    { detail: expect.stringContaining('10001 items in all its lists together, 10000 of them in notes') },
  ]);
});

describe('one fault in a valid account', () => {
  test.each(domesticRows)('household: %s = %j', (place, value, ...expected) => {
    expect(faultsOf(changed('domestic', place, value))).toEqual(expected);
  });
  test.each(businessRows)('business: %s = %j', (place, value, ...expected) => {
    expect(faultsOf(changed('business', place, value))).toEqual(expected);
  });
});

// Changes that must not be refused.
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

test.each(acceptedRows)('%s account accepted: %s = %j', (base, place, value) => {
  expect(faultsOf(changed(base, place, value))).toEqual([]);
});

test('an unknown occupier has no customers and at most one address', () => {
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

describe('the answered account', () => {
  test('holds the values as sent, without blanks around texts and without undocumented members', () => {
    const sent = businessAccount() as Record<string, unknown>;
    const payload = JSON.parse(JSON.stringify({ ...sent, billing_postcode: '\t 68000 \n', colour: 'red' }));
    payload.customers[0].shoe_size = 43;
    payload.account_contracts[0].versions[0].terms[7].metadata = {};
    const { account, violations } = validateAccountPayload(payload, facts);
    expect(violations).toEqual([]);
    expect(account).toEqual(businessAccount());
  });

  test('takes no member that JSON smuggles in under the names of every object', () => {
    const text = JSON.stringify(domesticAccount()).replace(
      '{',
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},',
    );
    const { account, violations } = validateAccountPayload(JSON.parse(text), facts);
    expect(violations).toEqual([]);
    expect(Object.keys(account).sort()).toEqual(Object.keys(domesticAccount()).sort());
    expect(Object.getPrototypeOf(account)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('is stored without nulls at documented places, and with those of opaque values', () => {
    const stored = cutNulls(validateAccountPayload(domesticAccount(), facts).account);
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
  test('are not judged on an absent value', () => {
    expect(faultsOf(domesticAccount({ sales_channel: '' }), { sales_channel: ['OTHER'], constructor: ['x'] })).toEqual(
      [],
    );
  });
});

test('all faults come back at once, in the order of the payload as sent', () => {
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

test.each([[[]], [null], ['text'], [3], [JSON.rawJSON('1e9')], [undefined]])('a body that is no object: %j', (body) => {
  expect(faultsOf(body)).toEqual(['invalid non_field_errors']);
});

test('the version of the rules is short and stable within a process', () => {
  expect(ACCOUNT_RULES_VERSION).toMatch(/^\d+-[0-9a-f]{12}$/);
});
