import { afterAll, expect, test } from '@jest/globals';
import {
  addAccounts,
  attachmentCalls,
  charge,
  countRows,
  dayFromToday,
  payment,
  supplyCharge,
  type AttachmentCalls,
} from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const calls: AttachmentCalls = attachmentCalls(service, await service.supplierToken(['SUPPLIER_FR']));
await addAccounts(service, [
  'ALL',
  'FORMS',
  'DIFFERS',
  'TWICE',
  'MANY',
  'RACE',
  'PAUSED',
  'FULL',
  'FLAG-False',
  'FLAG-FALSE',
  'FLAG-0',
]);

const added = 'TRANSACTION_ADDED_TO_ACCOUNT';
const known = 'TRANSACTION_ALREADY_EXISTS';
const statusesOf = (answer: { body: any }): string[] =>
  answer.body.results.map(({ status }: { status: string }) => status);

test('returns each type as it was sent, the amount with two places, and stores it with its items', async () => {
  const sent = [
    charge('C-1'),
    charge('K-1', { type: 'CREDIT', reason: 'GENERAL_CREDIT', amount: '-7.5', note: '' }),
    payment('P-1'),
    payment('R-1', { type: 'REPAYMENT', reason: 'FULL_CREDIT_REFUND', payment_type: 'DIRECT_CREDIT', amount: 0.07 }),
    supplyCharge('S-1'),
  ];
  const amounts = ['12.50', '-7.50', '62.00', '0.07', '53.24'];
  const answer = await calls.transactions('ALL', sent);
  expect(answer.status).toBe(201);
  expect(answer.body).toEqual({
    results: sent.map((transaction, index) => ({
      status: added,
      transaction_data: { ...transaction, amount: amounts[index], status: 'TRANSACTION_IMPORT_SUCCESS' },
    })),
  });
  const account = await calls.account('ALL');
  // 62.00 paid and -7.50 credited, minus 12.50 + 53.24 charged and 0.07 paid back.
  expect(account.balance).toBe('-11.31');
  expect(account.transactions.map(({ transaction_id: id, amount, sent: stored }: any) => [id, amount, stored])).toEqual(
    sent.map((transaction) => [transaction['transaction_id'], Number(transaction['amount']), transaction]),
  );
  expect(account.transactions[1]).toMatchObject({
    note: null,
    reason: 'GENERAL_CREDIT',
    description: null,
    line_items: [],
    tax_items: [],
  });
  expect(account.transactions[4]).toMatchObject({
    product_code: 'ELEC-BASE-2026',
    reason: null,
    line_items: [
      {
        number_of_units: 88,
        net_amount: 22,
        price_per_unit: 0.25,
        units: [4_100, 4_188],
        rate_band: 'CONSUMPTION_STANDARD',
      },
      { rate_band: null, price_per_unit: 0.25 },
    ],
    tax_items: [{ amount: 9.24, tax_type: 'VAT', value_taxed: 44, rate: 0.21, unit_type: 'PROPORTION' }],
  });
});

test('reports a repeated transaction with its stored data, without the mark of success', async () => {
  const sent = [payment('P-1'), supplyCharge('S-1'), payment('P-2')];
  const answer = await calls.transactions('ALL', sent, '?check_previously_added=true');
  expect(statusesOf(answer)).toEqual([known, known, added]);
  expect(answer.body.results[0]).toEqual({ status: known, transaction_data: { ...payment('P-1'), amount: '62.00' } });
  expect(answer.body.results[1]).toEqual({
    status: known,
    transaction_data: { ...supplyCharge('S-1'), amount: '53.24' },
  });
});

test('trims strings, and drops members that are undocumented or unused by the type', async () => {
  const { body } = await calls.transactions('FORMS', [
    payment(' P-1 ', {
      display_note: 'no field of a payment',
      line_items: [],
      colour: 'red',
      amount: '1.0',
      reference: ' RUM-P-1',
    }),
  ]);
  expect(body.results[0].transaction_data).toEqual({
    ...payment('P-1'),
    amount: '1.00',
    status: 'TRANSACTION_IMPORT_SUCCESS',
  });
});

test('reports the fields that differ from the stored ones, ignoring how numbers are written', async () => {
  await calls.transactions('DIFFERS', [payment('P-1'), supplyCharge('S-1'), payment('P-2', { note: '' })]);
  const [line, ...others] = supplyCharge('S-1')['line_items'] as object[];
  const changed = supplyCharge('S-1', {
    display_note: 'Other',
    line_items: [{ ...line, units: [4_100, 4_189] }, ...others],
  });
  const without = payment('P-2', { amount: '62.0' });
  delete without['note'];
  const { body } = await calls.transactions('DIFFERS', [
    payment('P-1', { amount: 63, reference: 'RUM' }),
    changed,
    without,
  ]);
  expect(body.results.map(({ differs }: any) => differs)).toEqual([
    ['amount', 'reference'],
    ['display_note', 'line_items'],
    undefined,
  ]);
  expect(body.results[0].transaction_data).toEqual({ ...payment('P-1'), amount: '62.00' });
  expect((await calls.account('DIFFERS')).transactions).toHaveLength(3);
});

test.each(['False', 'FALSE', '0'])('adds the same transaction again with check_previously_added=%s', async (flag) => {
  await calls.transactions(`FLAG-${flag}`, [payment('P-1', { amount: 5 })], '?check_previously_added=TRUE');
  expect(
    statusesOf(await calls.transactions(`FLAG-${flag}`, [payment('P-1', { amount: 5 })], '?check_previously_added=1')),
  ).toEqual(['TRANSACTION_ALREADY_EXISTS']);
  expect(
    statusesOf(
      await calls.transactions(`FLAG-${flag}`, [payment('P-1', { amount: 5 })], `?check_previously_added=${flag}`),
    ),
  ).toEqual([added]);
});

test('adds the same transaction again with check_previously_added=false', async () => {
  await calls.transactions('TWICE', [payment('P-1')]);
  expect(
    statusesOf(await calls.transactions('TWICE', [payment('P-1', { amount: 5 })], '?check_previously_added=false')),
  ).toEqual([added]);
  expect((await calls.account('TWICE')).balance).toBe('67.00');
  // The one with the same content is compared.
  expect((await calls.transactions('TWICE', [payment('P-1', { amount: 5 })])).body.results[0]).toEqual({
    status: known,
    transaction_data: { ...payment('P-1'), amount: '5.00' },
  });
});

test('stores a thousand that are sent twice once, with an exact balance', async () => {
  const sent = Array.from({ length: 1_000 }, (_, index) => payment(`P-${index}`, { amount: 0.1 }));
  for (const status of [added, known]) {
    const answer = await calls.transactions('MANY', sent);
    expect(answer.status).toBe(201);
    expect(new Set(statusesOf(answer))).toEqual(new Set([status]));
  }
  expect(await countRows(service, 'MANY', 'transaction', 'note')).toEqual([1_000, 0]);
  expect((await calls.account('MANY')).balance).toBe('100.00');
  expect(await calls.transactions('MANY', [])).toMatchObject({ status: 201, body: { results: [] } });
});

test('stores no duplicates for ten concurrent clients, moved ones included', async () => {
  const sent = Array.from({ length: 40 }, (_, index) =>
    supplyCharge(`S-${index}`, { transaction_date: dayFromToday(index % 2) }),
  );
  const answers = await Promise.all(Array.from({ length: 10 }, () => calls.transactions('RACE', sent)));
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
  expect(answers.flatMap(statusesOf).filter((status) => status === added)).toHaveLength(40);
  expect(
    await countRows(service, 'RACE', 'transaction', 'transaction_line_item', 'transaction_tax_item', 'note'),
  ).toEqual([40, 80, 40, 1]);
});

test('accepts transactions of a supplier that is paused or complete', async () => {
  for (const status of ['Paused', 'Complete']) {
    await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
      token: service.operatorToken,
      body: { status },
    });
    expect((await calls.transactions('PAUSED', [payment(status)])).status).toBe(201);
  }
  await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
    token: service.operatorToken,
    body: { status: 'Ongoing' },
  });
});

test('rolls all transactions back when the database fails at the last one, and succeeds when repeated', async () => {
  const { pool } = service.database;
  await pool.query(
    `create function fail() returns trigger language plpgsql as $$ begin if new.transaction_id = 'S-999' then raise 'broken by the test'; end if; return new; end $$`,
  );
  await pool.query('create trigger fail before insert on transaction for each row execute function fail()');
  const sent = Array.from({ length: 1_000 }, (_, index) => supplyCharge(`S-${index}`));
  expect((await calls.transactions('FULL', sent)).status).toBe(500);
  expect(await countRows(service, 'FULL', 'transaction', 'transaction_line_item', 'transaction_tax_item')).toEqual([
    0, 0, 0,
  ]);
  await pool.query('drop trigger fail on transaction');
  expect((await calls.transactions('FULL', sent)).status).toBe(201);
  expect(await countRows(service, 'FULL', 'transaction', 'transaction_line_item', 'transaction_tax_item')).toEqual([
    1_000, 2_000, 1_000,
  ]);
});
