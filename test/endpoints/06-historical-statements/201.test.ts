import { afterAll, expect, test } from '@jest/globals';
import { addAccounts, attachmentCalls, countRows, statement, type AttachmentCalls } from '../../support/attachments.ts';
import { startService } from '../../support/harness.ts';

const service = await startService({ temporal: false });
afterAll(() => service.stop());
const calls: AttachmentCalls = attachmentCalls(service, await service.supplierToken(['SUPPLIER_FR']));
await addAccounts(service, ['ONE', 'MANY', 'RACE', 'PAUSED', 'FULL', 'OTHER']);

const bills = (count: number, prefix = 'B') =>
  Array.from({ length: count }, (_, index) => statement(`${prefix}-${index}`));

test('returns the validated data, and stores it', async () => {
  const sent = [
    statement(' B-1 ', { colour: 'red' }),
    statement('B-2', { gross_amount: '-12.345', statement_path: '', bill_period_from_date: '2026-09-30' }),
  ];
  const answer = await calls.statements('ONE', sent);
  expect(answer.status).toBe(201);
  const validated = [{ ...statement('B-1'), statement_path: '/bills/ B-1 .pdf', number: 'N- B-1' }, sent[1]];
  expect(answer.body).toEqual({
    import_supplier: 'SUPPLIER_FR',
    external_account_number: 'ONE',
    statements: validated,
    warnings: [expect.objectContaining({ code: 'unknown_member', attr: 'statements.0.colour' })],
  });
  expect((await calls.account('ONE')).statements).toMatchObject([
    {
      statement_id: 'B-1',
      number: 'N- B-1',
      issued_date: '2026-10-03',
      gross_amount: 84.5,
      statement_path: 'bills/ B-1 .pdf',
      bill_period_from_date: '2026-09-01',
      bill_period_to_date: '2026-09-30',
    },
    { statement_id: 'B-2', gross_amount: -12.345, statement_path: null },
  ]);
  expect(await calls.statements('ONE', [])).toMatchObject({ status: 201, body: { statements: [] } });
});

test('stores a thousand at once, and accepts the same ids on another account', async () => {
  for (const external of ['MANY', 'OTHER']) expect((await calls.statements(external, bills(1_000))).status).toBe(201);
  expect((await calls.statements('MANY', bills(1_000))).status).toBe(400);
  expect(await countRows(service, 'MANY', 'statement')).toEqual([1_000]);
});

test('accepts one of ten concurrent clients with the same statements, and all with different ones', async () => {
  const same = await Promise.all(Array.from({ length: 10 }, () => calls.statements('RACE', bills(50))));
  expect(same.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 400)]);
  const different = await Promise.all(
    Array.from({ length: 10 }, (_, index) => calls.statements('RACE', bills(50, `R${index}`))),
  );
  expect(different.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 201));
  expect(await countRows(service, 'RACE', 'statement')).toEqual([550]);
});

test('accepts statements of a supplier that is paused or complete', async () => {
  for (const status of ['Paused', 'Complete']) {
    await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
      token: service.operatorToken,
      body: { status },
    });
    expect((await calls.statements('PAUSED', [statement(status)])).status).toBe(201);
  }
  await service.call('PUT', '/v1/operations/import-suppliers/SUPPLIER_FR/', {
    token: service.operatorToken,
    body: { status: 'Ongoing' },
  });
});

test('rolls all statements back when the database fails at the last one, and succeeds when repeated', async () => {
  const { pool } = service.database;
  await pool.query(
    `create function fail() returns trigger language plpgsql as $$ begin if new.statement_id = 'B-999' then raise 'broken by the test'; end if; return new; end $$`,
  );
  await pool.query('create trigger fail before insert on statement for each row execute function fail()');
  expect((await calls.statements('FULL', bills(1_000))).status).toBe(500);
  expect(await countRows(service, 'FULL', 'statement')).toEqual([0]);
  await pool.query('drop trigger fail on statement');
  expect((await calls.statements('FULL', bills(1_000))).status).toBe(201);
});
