import { afterAll, expect, test } from '@jest/globals';
import {
  addAccounts,
  attachmentCalls,
  dayFromToday,
  faultsOf,
  payment,
  statement,
  type AttachmentCalls,
} from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const calls: AttachmentCalls = attachmentCalls(service, await service.supplierToken(['SUPPLIER_FR']));

const on = (id: string, days: number) => payment(id, { transaction_date: dayFromToday(days) });
const datesOf = (answer: { body: any }): string[] =>
  answer.body.results.map(({ transaction_data: data }: any) => data.transaction_date);

test('moves a date outside the open period to the nearest day inside, reports it, and lists moved ones in one pinned note', async () => {
  await addAccounts(service, ['MOVED'], dayFromToday(-20));
  const answer = await calls.transactions('MOVED', [
    on('OLD', -400),
    on('LAST-BILLED', -20),
    on('FIRST-OPEN', -19),
    on('TODAY', 0),
    on('FUTURE', 3),
  ]);
  expect(answer.status).toBe(201);
  expect(datesOf(answer)).toEqual([-19, -19, -19, 0, 0].map(dayFromToday));
  expect(answer.body.results.map(({ status }: any) => status)).toEqual(
    Array.from({ length: 5 }, () => 'TRANSACTION_ADDED_TO_ACCOUNT'),
  );
  expect(answer.body.results[0].transaction_data).toEqual({
    ...on('OLD', -19),
    amount: '62.00',
    status: 'TRANSACTION_IMPORT_SUCCESS',
    description: `The date was changed from ${dayFromToday(-400)} to ${dayFromToday(-19)}, because ${dayFromToday(-400)} lies outside the open statement period.`,
  });
  expect(answer.body.results[2].transaction_data).not.toHaveProperty('description');
  const { notes, transactions } = await calls.account('MOVED');
  expect(notes).toMatchObject([{ is_pinned: true, unpin_at: null, documents: [] }]);
  expect(notes[0].body.split('\n')).toEqual([
    `Imported transactions whose date was changed to lie in the open statement period, ${dayFromToday(-19)} to ${dayFromToday(0)}:`,
    `OLD: ${dayFromToday(-400)} -> ${dayFromToday(-19)}`,
    `LAST-BILLED: ${dayFromToday(-20)} -> ${dayFromToday(-19)}`,
    `FUTURE: ${dayFromToday(3)} -> ${dayFromToday(0)}`,
  ]);
  expect(
    transactions.map((transaction: any) => [transaction.transaction_date, transaction.sent.transaction_date]),
  ).toEqual(
    [
      [-19, -400],
      [-19, -20],
      [-19, -19],
      [0, 0],
      [0, 3],
    ].map((pair) => pair.map(dayFromToday)),
  );
});

test('recognizes a moved transaction by what was sent, also when moving is off, and pins no second note', async () => {
  const answer = await calls.transactions(
    'MOVED',
    [on('OLD', -400), on('FUTURE', 3)],
    '?force_add_to_current_statement=false',
  );
  expect(answer.status).toBe(201);
  expect(answer.body.results).toMatchObject([
    {
      status: 'TRANSACTION_ALREADY_EXISTS',
      transaction_data: {
        transaction_date: dayFromToday(-19),
        description: expect.stringContaining(dayFromToday(-400)),
      },
    },
    { status: 'TRANSACTION_ALREADY_EXISTS', transaction_data: { transaction_date: dayFromToday(0) } },
  ]);
  expect(answer.body.results[0]).not.toHaveProperty('differs');
  const other = await calls.transactions('MOVED', [on('OLD', -19)]);
  expect(other.body.results[0].differs).toEqual(['transaction_date']);
  expect((await calls.account('MOVED')).notes).toHaveLength(1);
});

test('keeps an account that was never billed open from the beginning', async () => {
  await addAccounts(service, ['NEVER']);
  expect(
    datesOf(await calls.transactions('NEVER', [payment('P-1', { transaction_date: '1900-01-01' }), on('P-2', 1)])),
  ).toEqual(['1900-01-01', dayFromToday(0)]);
  expect((await calls.account('NEVER')).notes).toHaveLength(1);
});

test('keeps only today open for an account that is billed beyond today', async () => {
  await addAccounts(service, ['AHEAD'], dayFromToday(30));
  expect(datesOf(await calls.transactions('AHEAD', [on('P-1', -1), on('P-2', 0), on('P-3', 40)]))).toEqual(
    [0, 0, 0].map(dayFromToday),
  );
});

test('moves the open period with a later statement', async () => {
  await addAccounts(service, ['BILLED'], dayFromToday(-60));
  const refusing = '?force_add_to_current_statement=false';
  expect((await calls.transactions('BILLED', [on('P-1', -40)], refusing)).status).toBe(201);
  const bill = (id: string, from: number, to: number) =>
    statement(id, { bill_period_from_date: dayFromToday(from), bill_period_to_date: dayFromToday(to) });
  expect((await calls.statements('BILLED', [bill('B-2', -59, -30), bill('B-1', -90, -60)])).status).toBe(201);
  const refused = await calls.transactions('BILLED', [on('P-2', -40), on('P-3', -30), on('P-4', -29)], refusing);
  expect(faultsOf(refused)).toEqual([
    'transaction_date_outside_open_statement_period transactions.0.transaction_date',
    'transaction_date_outside_open_statement_period transactions.1.transaction_date',
  ]);
  expect(datesOf(await calls.transactions('BILLED', [on('P-2', -40), on('P-4', -29)]))).toEqual(
    [-29, -29].map(dayFromToday),
  );
});

test('warns that statements imported before transactions close their periods, with the number moved and the period', async () => {
  await addAccounts(service, ['ORDER']);
  const period = { bill_period_from_date: dayFromToday(-90), bill_period_to_date: dayFromToday(-30) };
  expect((await calls.statements('ORDER', [{ ...statement('S-1'), ...period }])).status).toBe(201);
  const answer = await calls.transactions('ORDER', [on('A', -300), on('B', -60), on('C', -10)]);
  expect(answer.status).toBe(201);
  const open = `the open statement period, ${dayFromToday(-29)} to ${dayFromToday(0)}`;
  expect(answer.body.warnings).toEqual([
    {
      code: 'transaction_dates_moved',
      attr: 'transactions',
      detail: expect.stringContaining(
        `2 transactions dated ${dayFromToday(-300)} to ${dayFromToday(-60)} moved into ${open}.`,
      ),
    },
  ]);
  expect((await calls.transactions('ORDER', [on('D', -10)])).body).not.toHaveProperty('warnings');
});
