import { afterAll, expect, test } from '@jest/globals';
import { businessAccount, domesticAccount } from '../../support/account-payload.ts';
import { startService } from '../../support/harness.ts';

const ours = { import_supplier: 'SUPPLIER_FR' };

const service = await startService({ temporal: false });
afterAll(() => service.stop());
await service.database.pool.query(
  `insert into import_supplier (code, name, status) values ('OTHER', 'Other', 'Ongoing')`,
);
const token = await service.supplierToken(['SUPPLIER_FR', 'OTHER']);

const stage = (body: unknown) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });

test.each([
  ['household', domesticAccount(ours, 1)],
  ['business', businessAccount(ours, 2)],
])('answers the first staging of a %s with supplier and number, and creates no account', async (_kind, account) => {
  const answer = await stage(account);
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({
    import_supplier: 'SUPPLIER_FR',
    external_account_number: account.external_account_number,
  });
  const { rows } = await service.database.pool.query(
    'select revision, imported_at, skipped_at from import_process where external_account_number = $1',
    [account.external_account_number],
  );
  expect(rows).toEqual([{ revision: 1, imported_at: null, skipped_at: null }]);
  expect((await service.database.pool.query('select from account')).rows).toHaveLength(0);
});

test('stores the payload without nulls and unknown members, and keeps those of free values to the last digit', async () => {
  const account = domesticAccount({ ...ours, metadata: [{ key: 'k', value: { none: null } }] }, 3);
  const body = JSON.stringify({ ...account, future: 1 }).replace(
    '"none":null',
    '"none":null,"big":123456789012345678901234567890.5,"huge":1e400',
  );
  expect((await stage(body)).status).toBe(201);
  const { rows } = await service.database.pool.query(
    `select payload, payload #>> '{metadata,0,value,big}' as big, (payload #>> '{metadata,0,value,huge}')::numeric = 1e400::numeric as huge from import_process where external_account_number = $1`,
    [account.external_account_number],
  );
  expect(rows[0]).toMatchObject({ big: '123456789012345678901234567890.5', huge: true });
  const { metadata, ...rest } = rows[0].payload;
  const { metadata: _metadata, ...sent } = JSON.parse(JSON.stringify(account));
  delete sent.customers[1].email;
  delete sent.customers[1].mobile;
  expect(rest).toEqual(sent);
  expect(metadata[0].value.none).toBeNull();
});

test('answers ten equal concurrent stagings with one 201 and nine 200, one row and ten revisions', async () => {
  const account = domesticAccount(ours, 4);
  const answers = await Promise.all(Array.from({ length: 10 }, () => stage(account)));
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 9 }, () => 200), 201]);
  const { rows } = await service.database.pool.query(
    `select p.revision, array(select r.revision from import_process_revision r where r.import_process_id = p.id order by 1) as kept from import_process p where external_account_number = $1`,
    [account.external_account_number],
  );
  expect(rows).toEqual([{ revision: 10, kept: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] }]);
});

test('treats the same number of another supplier as another account', async () => {
  const account = domesticAccount(ours, 5);
  expect((await stage(account)).status).toBe(201);
  expect((await stage({ ...account, import_supplier: 'OTHER' })).status).toBe(201);
});

test('treats numbers that differ in case, accents or inner blanks as different accounts, and trims blanks', async () => {
  const numbers = ['ab-6', 'AB-6', 'áb-6', 'a\u0301b-6', 'a b-6', 'a  b-6'];
  for (const number of numbers) {
    expect((await stage(domesticAccount({ ...ours, external_account_number: number }, 6))).status).toBe(201);
  }
  const trimmed = await stage(domesticAccount({ ...ours, external_account_number: '  ab-6 ' }, 6));
  expect(trimmed.status).toBe(200);
  expect(trimmed.body.external_account_number).toBe('ab-6');
});

test('stages and finds a number of 128 characters outside the basic plane uncut', async () => {
  const number = '😀'.repeat(128);
  expect((await stage(domesticAccount({ ...ours, external_account_number: number }, 7))).status).toBe(201);
  expect((await stage(domesticAccount({ ...ours, external_account_number: number }, 7))).status).toBe(200);
});
