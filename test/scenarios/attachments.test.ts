import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import {
  attachmentCalls,
  charge,
  countRows,
  dayFromToday,
  faultsOf,
  payment,
  statement,
  supplyCharge,
  type AttachmentCalls,
} from '../support/attachments.ts';
import { startService, type Answer } from '../support/harness.ts';

const service = await startService({ worker: true });
afterAll(() => service.stop());
const token = await service.supplierToken(['SUPPLIER_FR']);
const calls: AttachmentCalls = attachmentCalls(service, token);

const post = (path: string, body: unknown): Promise<Answer> =>
  service.call('POST', `/v1/data-import/account-import-process/${path}/`, { token, body });
const statusesOf = (items: { status: string }[]): string[] => items.map(({ status }) => status);

async function importAccount(sequence: number): Promise<string> {
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', last_billed_to_date: dayFromToday(-60) }, sequence);
  const external = account.external_account_number;
  expect((await post('create-or-update', account)).status).toBe(201);
  for (const answer of [
    await calls.notes(external, [{ body: 'early' }]),
    await calls.transactions(external, [charge('early')]),
    await calls.statements(external, [statement('early')]),
  ]) {
    expect(answer).toMatchObject({ status: 404, body: { code: 'account_not_found' } });
  }
  expect(
    (
      await post('process', {
        external_account_number: external,
        import_supplier_code: 'SUPPLIER_FR',
        operations_team_name: 'Migration',
      })
    ).status,
  ).toBe(201);
  return external;
}

// Runs the whole story twice: each run leaves the other's data alone.
test.each([1, 2])(
  'stages, creates, and adds notes, transactions and statements beside those of the payload (round %d)',
  async (round) => {
    const external = await importAccount(round);
    const embedded = domesticAccount({}, round);

    const notes = [
      { body: embedded.notes![0]!.body },
      { body: embedded.notes![0]!.body, created_at: '2024-08-14T07:41:00Z' },
      { body: embedded.notes![0]!.body, created_at: '2024-08-15T00:00:00Z' },
      { document_paths: [{ document_path: `/photos/${round}/meter.jpg` }] },
      { body: 'Called about the move.', is_pinned: true },
    ];
    const added = await calls.notes(external, notes);
    expect(statusesOf(added.body)).toEqual([
      'NOTE_ALREADY_EXISTS',
      'NOTE_ALREADY_EXISTS',
      'NOTE_CREATION_SUCCESS',
      'NOTE_ALREADY_EXISTS',
      'NOTE_CREATION_SUCCESS',
    ]);
    expect(added.body[0].created_at).toBe('2024-08-14T07:41:00Z');
    expect(new Set(statusesOf((await calls.notes(external, notes)).body))).toEqual(new Set(['NOTE_ALREADY_EXISTS']));

    const known = embedded.statements![1]!.statement_id;
    expect(faultsOf(await calls.statements(external, [statement('NEW'), statement(known)]))).toEqual([
      'historical_statement_already_exists statements.1.statement_id',
    ]);
    const later = { bill_period_from_date: dayFromToday(-59), bill_period_to_date: dayFromToday(-30) };
    expect((await calls.statements(external, [statement('NEW', later)])).status).toBe(201);

    const transactions = [
      supplyCharge('S-1', { transaction_date: dayFromToday(-45) }),
      payment('P-1'),
      charge('C-1', { type: 'CREDIT', amount: 0.3 }),
    ];
    const first = await calls.transactions(external, transactions);
    expect(first.body.results[0].transaction_data).toMatchObject({
      transaction_date: dayFromToday(-29),
      amount: '53.24',
    });
    expect(new Set(statusesOf((await calls.transactions(external, transactions)).body.results))).toEqual(
      new Set(['TRANSACTION_ALREADY_EXISTS']),
    );

    const account = await calls.account(external);
    expect(account.balance).toBe('9.06');
    expect(account.notes.filter(({ is_pinned: isPinned }: any) => isPinned)).toHaveLength(2);
    expect(await countRows(service, external, 'note', 'statement', 'transaction')).toEqual([5, 3, 3]);
  },
);

test('computes the exact balance, whatever the order of the transactions', async () => {
  const external = await importAccount(3);
  expect((await calls.account(external)).balance).toBe('0.00');
  const cents = Array.from({ length: 300 }, (_, index) => (index * 7_919) % 100_003);
  const types = ['CHARGE', 'CREDIT', 'PAYMENT', 'REPAYMENT'];
  const sent = cents.map((value, index) =>
    payment(`P-${index}`, { type: types[index % 4], amount: ((value + 1) / 100).toFixed(2), reason: 'SUM' }),
  );
  const expected = cents.reduce(
    (sum, value, index) => sum + (value + 1) * (index % 4 === 1 || index % 4 === 2 ? 1 : -1),
    0,
  );
  await Promise.all(
    [sent.slice(0, 100), sent.slice(100, 200).reverse(), sent.slice(200)].map((part) =>
      calls.transactions(external, part),
    ),
  );
  expect(Math.round(Number((await calls.account(external)).balance) * 100)).toBe(expected);
});

test('neither doubles nor loses anything when ten clients each use all three operations on one account concurrently', async () => {
  const external = await importAccount(4);
  const notes = Array.from({ length: 20 }, (_, index) => ({ body: `note ${index}` }));
  const transactions = Array.from({ length: 20 }, (_, index) =>
    charge(`C-${index}`, { amount: 0.1, transaction_date: dayFromToday(-200) }),
  );
  const statements = Array.from({ length: 20 }, (_, index) => statement(`N-${index}`));
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => [
      calls.notes(external, notes),
      calls.transactions(external, transactions),
      calls.statements(external, statements),
    ]).flat(),
  );
  expect(answers.map(({ status }) => status).filter((status) => status === 400)).toHaveLength(9);
  expect(answers.every(({ status }) => status === 201 || status === 400)).toBe(true);
  // Two notes and two statements came with the account; one note lists the moved dates.
  expect(await countRows(service, external, 'note', 'statement', 'transaction')).toEqual([23, 22, 20]);
  expect((await calls.account(external)).balance).toBe('-2.00');
});

test('answers 503 while an account row is locked too long, and accepts the same requests afterwards', async () => {
  const external = await importAccount(5);
  const { pool } = service.database;
  const blocker = await pool.connect();
  try {
    await blocker.query('begin');
    await blocker.query('select 1 from account where external_account_number = $1 for update', [external]);
    const waiting = [
      calls.notes(external, [{ body: 'waits' }]),
      calls.transactions(external, [payment('WAITS')]),
      calls.statements(external, [statement('WAITS')]),
    ];
    // A row that is locked longer than the lock timeout counts as an unreachable part of the service.
    for (const answer of await Promise.all(waiting)) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    }
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
  expect(await countRows(service, external, 'note', 'statement', 'transaction')).toEqual([2, 2, 0]);
  expect((await calls.notes(external, [{ body: 'waits' }])).body).toMatchObject([{ status: 'NOTE_CREATION_SUCCESS' }]);
  expect((await calls.transactions(external, [payment('WAITS')])).status).toBe(201);
  expect((await calls.statements(external, [statement('WAITS')])).status).toBe(201);
});
