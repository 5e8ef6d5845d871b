import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../../support/account-payload.ts';
import { errorBody } from '../../support/error-body.ts';
import { startService, type Answer } from '../../support/harness.ts';
import { countAllRows } from '../../support/table-counts.ts';

const ours = { import_supplier: 'SUPPLIER_FR' };

const service = await startService({ worker: true });
afterAll(() => service.stop());
await service.database.pool.query(
  `insert into import_supplier (code, name, status) values ('PAUSED', 'P', 'Paused'), ('COMPLETE', 'C', 'Complete'), ('CLOSING', 'C', 'Ongoing'), ('FOREIGN', 'F', 'Ongoing')`,
);
const token = await service.supplierToken(['SUPPLIER_FR', 'PAUSED', 'COMPLETE', 'CLOSING']);

const stage = (body: unknown) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
const create = (number: string) =>
  service.call('POST', '/v1/data-import/account-import-process/process/', {
    token,
    body: { external_account_number: number, import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'Migration' },
  });
const stagedRow = async (number: string) =>
  (await service.database.pool.query('select * from import_process where external_account_number = $1', [number])).rows;

/** Expects a call to be rejected, and every table and the staged row to stay unchanged. */
async function refusedWithoutTrace(number: string, call: () => Promise<Answer>): Promise<Answer> {
  const before = [await countAllRows(service.database), await stagedRow(number)];
  const answer = await call();
  expect(answer.status).toBe(400);
  expect([await countAllRows(service.database), await stagedRow(number)]).toEqual(before);
  return answer;
}

test('rejects an invalid payload like validate-account, and keeps what was staged before', async () => {
  const account = domesticAccount(ours, 1);
  await stage(account);
  const broken = { ...account, billing_address1: 7, customers: [] };
  const answer = await refusedWithoutTrace(account.external_account_number, () => stage(broken));
  expect(answer.body).toEqual(
    (await service.call('POST', '/v1/data-import/validate-account/', { token, body: broken })).body,
  );
  expect(answer.body.code).toBe('account_failed_validation');
  expect(answer.body.errors.map(({ attr }: { attr: string }) => attr)).toEqual(['billing_address1', 'customers']);
});

test('rejects an imported account with both numbers, and keeps the staged data', async () => {
  const account = domesticAccount(ours, 2);
  const number = account.external_account_number;
  await stage(account);
  const created = await create(number);
  expect(created.status).toBe(201);
  const answer = await refusedWithoutTrace(number, () => stage({ ...account, billing_address1: 'new' }));
  expect(answer.body).toEqual(
    errorBody('account_import_process_already_imported', undefined, {
      external_account_number: number,
      service_account_number: created.body.service_account_number,
    }),
  );
});

test('rejects an account that is marked to skip', async () => {
  const account = domesticAccount(ours, 3);
  await stage(account);
  await service.database.pool.query('update import_process set skipped_at = now() where external_account_number = $1', [
    account.external_account_number,
  ]);
  const answer = await refusedWithoutTrace(account.external_account_number, () => stage(account));
  expect(answer.body).toEqual(errorBody('import_process_marked_to_skip'));
});

test.each([
  ['PAUSED', 'paused'],
  ['COMPLETE', 'complete'],
])('rejects accounts of a supplier that is %s, and says whether waiting helps', async (code, word) => {
  const account = domesticAccount({ import_supplier: code }, 4);
  const answer = await refusedWithoutTrace(account.external_account_number, () => stage(account));
  expect(answer.body).toEqual(errorBody('import_supplier_migration_not_ongoing', expect.stringContaining(word)));
});

test('rejects updates while a supplier is paused, and accepts them when it is Ongoing again', async () => {
  const account = domesticAccount({ import_supplier: 'CLOSING' }, 5);
  const put = (status: string) =>
    service.call('PUT', '/v1/operations/import-suppliers/CLOSING/', { token: service.operatorToken, body: { status } });
  expect((await stage(account)).status).toBe(201);
  await put('Paused');
  const before = await stagedRow(account.external_account_number);
  expect((await stage(account)).body.code).toBe('import_supplier_migration_not_ongoing');
  expect(await stagedRow(account.external_account_number)).toEqual(before);
  await put('Ongoing');
  expect((await stage(account)).status).toBe(200);
});

test("treats another organisation's supplier like one that does not exist", async () => {
  const foreign = await refusedWithoutTrace('HOME-00000006', () =>
    stage(domesticAccount({ import_supplier: 'FOREIGN' }, 6)),
  );
  const unknown = await stage(domesticAccount({ import_supplier: 'NOBODY' }, 6));
  expect(foreign.body.errors).toEqual([
    { detail: expect.any(String), code: 'invalid_choice', attr: 'import_supplier' },
  ]);
  expect(foreign.body).toEqual(unknown.body);
});

test.each([
  [
    'a NUL in the number',
    { external_account_number: 'A\u0000B' },
    'external_account_number null_characters_not_allowed',
  ],
  ['half a surrogate pair', { billing_address1: '\ud800' }, 'billing_address1 surrogate_characters_not_allowed'],
  [
    'half a pair in an e-mail address',
    { customers: [{ given_name: 'A', family_name: 'B', email: 'a\udc00@example.com' }] },
    'customers.0.email surrogate_characters_not_allowed',
  ],
  [
    'a NUL in a free value',
    { metadata: [{ key: 'k', value: { a: ['\u0000'] } }] },
    'metadata.0.value.a.0 null_characters_not_allowed',
  ],
  [
    'half a pair in a free key',
    { metadata: [{ key: 'k', value: { '\udfff': 1 } }] },
    'metadata.0.value surrogate_characters_not_allowed',
  ],
  ['a control character in the number', { external_account_number: 'A\u0085B' }, 'external_account_number invalid'],
  ['a number of 129 characters', { external_account_number: 'x'.repeat(129) }, 'external_account_number max_length'],
])('rejects %s before the database sees it', async (_name, change, expected) => {
  const answer = await refusedWithoutTrace('none', () => stage(domesticAccount({ ...ours, ...change }, 7)));
  expect(answer.body.errors.map(({ attr, code }: { attr: string; code: string }) => `${attr} ${code}`)).toEqual([
    expected,
  ]);
});

test.each([
  ['an exponent of six digits', '1e400000'],
  ['a tiny one', '1e-400000'],
  ['an exponent beyond all integers', '1e99999999999999999999'],
  ['200,000 digits', '7'.repeat(200_000)],
  ['a flood of long numbers', `[${Array.from({ length: 9_000 }, () => '1e130000').join(',')}]`],
])(
  'rejects a number in a free value that no database column can store (%s), with its place',
  async (_name, literal) => {
    const account = domesticAccount({ ...ours, metadata: [{ key: 'k', value: { n: 0 } }] }, 8);
    const body = JSON.stringify(account).replace('{"n":0}', `{"n":${literal}}`);
    const answer = await refusedWithoutTrace(account.external_account_number, () => stage(body));
    expect(answer.body.code).toBe('account_failed_validation');
    expect(answer.body.errors[0].attr).toMatch(/^metadata\.0\.value\.n/);
  },
);
