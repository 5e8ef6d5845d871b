import { afterAll, expect, test } from '@jest/globals';
import {
  addAccounts,
  attachmentCalls,
  charge,
  countRows,
  dayFromToday,
  faultsOf,
  payment,
  supplyCharge,
  type AttachmentCalls,
} from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
const calls: AttachmentCalls = attachmentCalls(service, token);
await addAccounts(service, ['ONE'], dayFromToday(-10));

const [oneLine] = supplyCharge('S')['line_items'] as object[];
const line = (overrides: object) =>
  supplyCharge('S', { line_items: [{ ...oneLine, net_amount: 44, number_of_units: 176, ...overrides }] });
const without = (transaction: Record<string, unknown>, field: string) =>
  Object.fromEntries(Object.entries(transaction).filter(([name]) => name !== field));

test.each<[string, unknown[], string[]]>([
  ['no object', ['text', null], ['invalid transactions.0.non_field_errors', 'null transactions.1']],
  [
    'missing fields of each type',
    [{ type: 'CHARGE' }, { type: 'SUPPLY_CHARGE' }, {}],
    [
      'required transactions.0.transaction_id',
      'required transactions.0.transaction_date',
      'required transactions.0.amount',
      'required transactions.0.reason',
      'required transactions.1.transaction_id',
      'required transactions.1.transaction_date',
      'required transactions.1.amount',
      'required transactions.1.product_code',
      'required transactions.1.line_items',
      'required transactions.2.type',
    ],
  ],
  ['an unknown type', [payment('P', { type: 'BARTER' })], ['invalid_choice transactions.0.type']],
  ['a type that is a long number', [payment('P', { type: 1e15 })], ['invalid transactions.0.type']],
  [
    'wrong forms',
    [payment('', { transaction_date: '2026-02-30', amount: '12,50', note: 7 })],
    [
      'blank transactions.0.transaction_id',
      'invalid transactions.0.transaction_date',
      'invalid transactions.0.amount',
      'invalid transactions.0.note',
    ],
  ],
  [
    'amounts',
    [
      charge('A', { amount: 1.005 }),
      charge('B', { amount: '0.001' }),
      charge('C', { amount: '' }),
      charge('D', { amount: '12345678901234.56' }),
      charge('E', { amount: null }),
    ],
    [
      'max_decimal_places transactions.0.amount',
      'max_decimal_places transactions.1.amount',
      'blank transactions.2.amount',
      'max_digits transactions.3.amount',
      'null transactions.4.amount',
    ],
  ],
  [
    'payments of zero',
    [payment('P', { amount: 0 }), payment('R', { type: 'REPAYMENT', amount: '-0.01' }), payment('Q', { amount: 0.01 })],
    ['min_value transactions.0.amount', 'min_value transactions.1.amount'],
  ],
  [
    'a duplicate id',
    [payment('P'), payment('Q'), charge('P')],
    ['duplicate_transaction_ids transactions.2.transaction_id'],
  ],
  ['a supply charge without lines', [supplyCharge('S', { line_items: [] })], ['empty transactions.0.line_items']],
  [
    'a line that ends before it starts',
    [line({ start_date: '2026-10-01' })],
    ['start_date_later_than_end_date transactions.0.line_items.0.end_date'],
  ],
  [
    'a net amount that is not units times price',
    [
      line({ number_of_units: 1, price_per_unit: 44.021 }),
      { ...line({ number_of_units: 1, price_per_unit: '43.98' }), transaction_id: 'T' },
      { ...line({ price_per_unit: '' }), transaction_id: 'U' },
    ],
    ['incorrect_line_item_net_amount transactions.0.line_items.0.net_amount'],
  ],
  [
    'an amount that is not the sum',
    [
      supplyCharge('S', { amount: 53.25 }),
      supplyCharge('T', { amount: 44, tax_items: [] }),
      supplyCharge('U', { amount: 53.24, tax_items: [] }),
    ],
    [
      'ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount transactions.0.amount',
      'ledger_transaction_amount_does_not_match_with_line_item_net_amount_and_tax_amount transactions.2.amount',
    ],
  ],
  [
    'an invalid tax',
    [supplyCharge('S', { tax_items: [{ value_taxed: 44, rate: 'a' }] })],
    [
      'required transactions.0.tax_items.0.amount',
      'required transactions.0.tax_items.0.tax_type',
      'invalid transactions.0.tax_items.0.rate',
    ],
  ],
])('rejects %s, and stores nothing', async (_what, transactions, faults) => {
  const answer = await calls.transactions('ONE', transactions);
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 'validation_failed', status: 'TRANSACTION_IMPORT_ERROR' },
  });
  expect(faultsOf(answer).sort()).toEqual(faults.sort());
  expect(answer.body.error_detail).toBe(answer.body.errors[0].detail);
  expect(await countRows(service, 'ONE', 'transaction', 'note')).toEqual([0, 0]);
});

test('rejects a misspelled parameter with a suggestion, and moves no date', async () => {
  const answer = await calls.transactions(
    'ONE',
    [payment('P', { transaction_date: dayFromToday(-400) })],
    '?force_add_to_curent_statement=false',
  );
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 'unknown_query_parameter', errors: [{ code: 'invalid', attr: 'force_add_to_curent_statement' }] },
  });
  expect(answer.body.detail).toBe(
    'There is no query parameter "force_add_to_curent_statement". Did you mean force_add_to_current_statement? This operation accepts check_previously_added, force_add_to_current_statement.',
  );
  expect(await countRows(service, 'ONE', 'transaction', 'note')).toEqual([0, 0]);
});

test('shows the first invalid transaction, its amount with two places, beside all violations', async () => {
  const answer = await calls.transactions('ONE', [
    payment('OK'),
    payment('BAD', { amount: -5, secret: 1 }),
    charge('WORSE', { amount: 'x' }),
  ]);
  expect(answer.status).toBe(400);
  expect(answer.body).toMatchObject({
    detail: expect.any(String),
    code: 'validation_failed',
    status: 'TRANSACTION_IMPORT_ERROR',
    error_detail: 'The amount of a payment must be greater than zero.',
    errors: [
      { code: 'min_value', attr: 'transactions.1.amount' },
      { code: 'invalid', attr: 'transactions.2.amount' },
    ],
  });
  expect(answer.body.transaction_data).toEqual({ ...payment('BAD'), amount: '-5.00' });
});

test('shows a transaction of an unknown type with its documented members, and an invalid amount as sent', async () => {
  const { body } = await calls.transactions('ONE', [
    { ...supplyCharge('S'), type: 'BARTER', amount: 'much', colour: 'red' },
  ]);
  expect(body.transaction_data).toEqual({ ...supplyCharge('S'), type: 'BARTER', amount: 'much' });
});

test('does not return a transaction that is nested too deeply', async () => {
  let deep: unknown = 'x';
  for (let level = 0; level < 40; level += 1) deep = [deep];
  const { status, body } = await calls.transactions('ONE', [payment('P', { note: deep })]);
  expect([status, body.transaction_data, body.errors[0].code]).toEqual([400, null, 'max_depth']);
});

test.each<[string, unknown, string, string[]]>([
  ['missing transactions', undefined, '', ['required transactions']],
  ['no list', 'text', '', ['not_a_list transactions']],
  [
    'parameters',
    [payment('P')],
    '?check_previously_added=yes&force_add_to_current_statement=',
    ['invalid check_previously_added', 'invalid force_add_to_current_statement'],
  ],
  [
    'a parameter that is a different number',
    [payment('P')],
    '?check_previously_added=2',
    ['invalid check_previously_added'],
  ],
  [
    'a repeated parameter',
    [payment('P')],
    '?check_previously_added=true&check_previously_added=true',
    ['invalid check_previously_added'],
  ],
])(
  'answers violations outside the transactions with the usual body: %s',
  async (_what, transactions, query, faults) => {
    const answer = await calls.transactions('ONE', transactions, query);
    expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
    expect(faultsOf(answer)).toEqual(faults);
    expect(answer.body).not.toHaveProperty('transaction_data');
  },
);

test('reports violations of a parameter and of a transaction together', async () => {
  const answer = await calls.transactions('ONE', [payment('P', { amount: 0 })], '?check_previously_added=on');
  expect(faultsOf(answer)).toEqual(['invalid check_previously_added', 'min_value transactions.0.amount']);
  expect(answer.body).toMatchObject({ status: 'TRANSACTION_IMPORT_ERROR', transaction_data: { amount: '0.00' } });
});

test('rejects days outside the open period if moving is off, and stores none of the valid ones', async () => {
  const sent = [
    payment('OK'),
    payment('OLD', { transaction_date: dayFromToday(-10) }),
    payment('FUTURE', { transaction_date: dayFromToday(1) }),
  ];
  const answer = await calls.transactions('ONE', sent, '?force_add_to_current_statement=false');
  expect(answer.status).toBe(400);
  expect(faultsOf(answer)).toEqual([
    'transaction_date_outside_open_statement_period transactions.1.transaction_date',
    'transaction_in_future transactions.2.transaction_date',
  ]);
  expect(answer.body).toMatchObject({
    status: 'TRANSACTION_IMPORT_ERROR',
    error_detail: expect.stringContaining(dayFromToday(-9)),
    transaction_data: { ...sent[1], amount: '62.00' },
  });
  expect(await countRows(service, 'ONE', 'transaction', 'note')).toEqual([0, 0]);
});

test('stores none of the earlier items when item 999 is invalid', async () => {
  const sent = Array.from({ length: 1_000 }, (_, index) =>
    payment(`P-${index}`, index === 999 ? { transaction_date: dayFromToday(1) } : {}),
  );
  expect(faultsOf(await calls.transactions('ONE', sent, '?force_add_to_current_statement=false'))).toEqual([
    'transaction_in_future transactions.999.transaction_date',
  ]);
  expect(await countRows(service, 'ONE', 'transaction')).toEqual([0]);
});

test('rejects values outside the describing sets that operators closed', async () => {
  await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
    token: service.operatorToken,
    body: { options: { closed_value_sets: { reason: ['GENERAL_CREDIT'], tax_type: ['GST'] } } },
  });
  const answer = await calls.transactions('ONE', [payment('P'), supplyCharge('S'), without(charge('C'), 'reason')]);
  expect(faultsOf(answer)).toEqual([
    'invalid_choice transactions.0.reason',
    'invalid_choice transactions.1.tax_items.0.tax_type',
    'required transactions.2.reason',
  ]);
});

test.each([1.235, '0.001', '1.2350', -0.004, 1e-7, '1e2', '12345678901234567.1'])(
  'returns the failing transaction with the amount that was sent: %s',
  async (amount) => {
    const answer = await calls.transactions('ONE', [payment('P', { amount })]);
    expect(answer.status).toBe(400);
    expect(answer.body.transaction_data.amount).toBe(amount);
  },
);
