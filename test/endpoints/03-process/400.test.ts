import { afterAll, expect, test } from '@jest/globals';
import { businessAccount, domesticAccount } from '../../support/account-payload.ts';
import { errorBody } from '../../support/error-body.ts';
import { startService, type Answer } from '../../support/harness.ts';
import { countAllRows } from '../../support/table-counts.ts';

const ours = { import_supplier: 'SUPPLIER_FR' };

const service = await startService({ worker: true });
afterAll(() => service.stop());
await service.database.pool.query(
  `insert into import_supplier (code, name, status) values ('TURNING', 'T', 'Ongoing'), ('CLOSING_SETS', 'S', 'Ongoing'), ('FOREIGN', 'F', 'Ongoing')`,
);
const token = await service.supplierToken(['SUPPLIER_FR', 'TURNING', 'CLOSING_SETS']);

const stage = (body: unknown) =>
  service.call('POST', '/v1/data-import/account-import-process/create-or-update/', { token, body });
const process = (body: unknown) =>
  service.call('POST', '/v1/data-import/account-import-process/process/', { token, body });
const create = (number: string, more: object = {}) =>
  process({
    external_account_number: number,
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
    ...more,
  });
const placesOf = (answer: Answer) =>
  answer.body.errors.map(({ attr, code }: { attr: string; code: string }) => `${attr} ${code}`);
const everything = async () => ({
  counts: await countAllRows(service.database),
  staged: (await service.database.pool.query('select * from import_process order by id')).rows,
});

/** Creation and dry run must be rejected alike, without a trace in any table. */
async function refusedBothWays(body: object): Promise<Answer> {
  const before = await everything();
  const [real, dry] = [await process(body), await process({ ...body, dry_run: true })];
  expect(real.status).toBe(400);
  expect(dry).toMatchObject({ status: 400, body: real.body });
  expect(await everything()).toEqual(before);
  return real;
}

test('reports nothing staged and a missing team together', async () => {
  const answer = await refusedBothWays({
    external_account_number: 'NEVER',
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Nobody',
  });
  expect(answer.body).toMatchObject({ detail: expect.any(String), code: 'validation_failed' });
  expect(placesOf(answer)).toEqual([
    'external_account_number import_process_does_not_exist',
    'operations_team_name operations_team_name_does_not_exist',
  ]);
});

test('rejects an account that is not staged', async () => {
  expect(
    placesOf(
      await refusedBothWays({
        external_account_number: 'NEVER',
        import_supplier_code: 'SUPPLIER_FR',
        operations_team_name: 'Migration',
      }),
    ),
  ).toEqual(['external_account_number import_process_does_not_exist']);
});

test('rejects a team that does not exist, comparing names exactly', async () => {
  await stage(domesticAccount(ours, 1));
  for (const team of ['Nobody', 'migration', 'Mig\u200bration']) {
    expect(
      placesOf(
        await refusedBothWays({
          external_account_number: 'HOME-00000001',
          import_supplier_code: 'SUPPLIER_FR',
          operations_team_name: team,
        }),
      ),
    ).toEqual(['operations_team_name operations_team_name_does_not_exist']);
  }
});

test('rejects an imported account with both numbers, also on a dry run and with a missing team', async () => {
  await stage(domesticAccount(ours, 2));
  const created = await create('HOME-00000002');
  expect(created.status).toBe(201);
  for (const team of ['Migration', 'Nobody']) {
    const answer = await refusedBothWays({
      external_account_number: 'HOME-00000002',
      import_supplier_code: 'SUPPLIER_FR',
      operations_team_name: team,
    });
    expect(answer.body).toEqual(
      errorBody('account_import_process_already_imported', undefined, {
        external_account_number: 'HOME-00000002',
        service_account_number: created.body.service_account_number,
      }),
    );
  }
});

test('rejects an account that is marked to skip', async () => {
  await stage(domesticAccount(ours, 3));
  await service.database.pool.query(
    `update import_process set skipped_at = now() where external_account_number = 'HOME-00000003'`,
  );
  const answer = await refusedBothWays({
    external_account_number: 'HOME-00000003',
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  });
  expect(answer.body).toEqual(errorBody('import_process_marked_to_skip'));
});

test.each(['Paused', 'Complete'])(
  'rejects a supplier that became %s after staging, and accepts it when it is Ongoing again',
  async (status) => {
    const number = `TURNING-${status}`;
    const put = (next: string) =>
      service.call('PUT', '/v1/operations/import-suppliers/TURNING/', {
        token: service.operatorToken,
        body: { status: next },
      });
    await put('Ongoing');
    await stage(domesticAccount({ import_supplier: 'TURNING', external_account_number: number }, 4));
    await put(status);
    const request = {
      external_account_number: number,
      import_supplier_code: 'TURNING',
      operations_team_name: 'Migration',
    };
    const before = await countAllRows(service.database);
    const [real, dry] = [await process(request), await process({ ...request, dry_run: true })];
    expect(real.body).toEqual(errorBody('import_supplier_migration_not_ongoing'));
    expect(dry).toMatchObject({ status: 400, body: real.body });
    expect(await countAllRows(service.database)).toEqual(before);
    await put('Ongoing');
    expect((await process(request)).status).toBe(201);
  },
);

test.each<[string, any]>([
  ['a household', domesticAccount(ours, 5)],
  ['a business', { ...businessAccount(ours, 6), business: { siret: businessAccount(ours, 6).business?.siret } }],
])(
  'changes no table in a dry run of %s that would succeed, however often, and creates it afterwards',
  async (_kind, account) => {
    await stage(account);
    const numbers = () => service.database.pool.query('select last_value from account_number_sequence');
    const lastNumber = (await numbers()).rows;
    const before = await everything();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => create(account.external_account_number, { dry_run: true })),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(400);
      expect(answer.body).toEqual(errorBody('dry_run_succeeded', expect.stringMatching(/rolled back/)));
    }
    expect(await everything()).toEqual(before);
    expect((await numbers()).rows).toEqual(lastNumber);
    expect((await create(account.external_account_number)).status).toBe(201);
  },
);

test('reports a missing business contract by its place in the staged payload', async () => {
  await stage(businessAccount(ours, 7));
  const request = {
    external_account_number: 'FIRM-00000007',
    import_supplier_code: 'SUPPLIER_FR',
    operations_team_name: 'Migration',
  };
  const [real, dry] = [await process(request), await process({ ...request, dry_run: true })];
  // It was never valid: "not valid any more" would make the reader look for a change.
  expect(real.body).toMatchObject({
    code: 'import_process_failed_validation',
    detail: expect.stringContaining('a business contract that does not exist'),
  });
  expect(placesOf(real)).toEqual(['business.business_contract_identifier business_contract_not_found']);
  expect(dry).toMatchObject({ status: 400, body: real.body });
  expect(
    (await service.database.pool.query('select from account where external_account_number = $1', ['FIRM-00000007']))
      .rows,
  ).toHaveLength(0);
});

test("rejects staged data that today's rules reject, with all violations, until it is staged again", async () => {
  const account = { ...businessAccount({ import_supplier: 'CLOSING_SETS' }, 8), sales_channel: 'BROKER' };
  expect((await stage(account)).status).toBe(201);
  const options = {
    closed_value_sets: { sales_channel: ['DIRECT'], cheque_status: ['USED'], issuance_frequency: ['ANNUALLY'] },
  };
  expect(
    (
      await service.call('PUT', '/v1/operations/import-suppliers/CLOSING_SETS/', {
        token: service.operatorToken,
        body: { options },
      })
    ).status,
  ).toBe(200);
  const request = {
    external_account_number: account.external_account_number,
    import_supplier_code: 'CLOSING_SETS',
    operations_team_name: 'Migration',
  };
  // Processes see changed options within a second.
  let answer = await process(request);
  while (placesOf(answer).length < 2) answer = await process(request);
  expect(answer).toMatchObject({ status: 400, body: { code: 'import_process_failed_validation' } });
  expect(new Set(placesOf(answer))).toEqual(
    new Set([
      'sales_channel invalid_choice',
      'supplementary_ledgers.0.energy_cheques.0.status invalid_choice',
      'account_contracts.0.versions.0.terms.3.frequency invalid_choice',
      'business.business_contract_identifier business_contract_not_found',
    ]),
  );
  const { rows } = await service.database.pool.query(
    'select refusal from import_process where external_account_number = $1',
    [account.external_account_number],
  );
  expect(rows[0].refusal).toMatchObject({ code: 'import_process_failed_validation' });
  const {
    business: _business,
    account_contracts: _contracts,
    ...household
  } = { ...account, account_type: 'DOMESTIC' as const, sales_channel: 'DIRECT', supplementary_ledgers: [] };
  expect((await stage(household)).status).toBe(200);
  expect((await process(request)).status).toBe(201);
});

test("treats another organisation's supplier like one that does not exist", async () => {
  const [foreign, unknown] = await Promise.all(
    ['FOREIGN', 'NOBODY'].map((code) => create('X', { import_supplier_code: code })),
  );
  expect(placesOf(foreign as Answer)).toEqual(['import_supplier_code invalid_choice']);
  expect(foreign?.body).toEqual(unknown?.body);
});

test.each<[string, unknown, string[]]>([
  [
    'nothing',
    {},
    ['external_account_number required', 'import_supplier_code required', 'operations_team_name required'],
  ],
  [
    'wrong types',
    { external_account_number: 1, import_supplier_code: null, operations_team_name: '', dry_run: 'true' },
    ['external_account_number invalid', 'import_supplier_code null', 'operations_team_name blank', 'dry_run invalid'],
  ],
  [
    'a foreign supplier among other faults',
    {
      external_account_number: '',
      import_supplier_code: 'FOREIGN',
      operations_team_name: 'x'.repeat(129),
      dry_run: null,
    },
    [
      'external_account_number blank',
      'import_supplier_code invalid_choice',
      'operations_team_name max_length',
      'dry_run null',
    ],
  ],
  [
    'a NUL',
    { external_account_number: 'A\u0000', import_supplier_code: 'SUPPLIER_FR', operations_team_name: 'B\ud800' },
    ['external_account_number null_characters_not_allowed', 'operations_team_name surrogate_characters_not_allowed'],
  ],
  ['a list', [], ['non_field_errors invalid']],
  ['null', 'null', ['non_field_errors invalid']],
  ['a number beyond 15 digits', '1e400', ['non_field_errors invalid']],
])('reports every violation in the order of the request: %s', async (_name, body, expected) => {
  const answer = await process(body);
  expect(answer).toMatchObject({ status: 400, body: { code: 'validation_failed' } });
  expect(placesOf(answer)).toEqual(expected);
});

test('validates concurrent requests for one account each with its own team', async () => {
  await stage(domesticAccount(ours, 9));
  const answers = await Promise.all(
    ['Nobody', 'Migration', 'Nobody', 'Migration'].map((team) =>
      create('HOME-00000009', { operations_team_name: team }),
    ),
  );
  const results = answers.map(({ status, body }) => (status === 201 ? 'created' : (body.errors[0]?.code ?? body.code)));
  expect(results.filter((word) => word === 'created')).toHaveLength(1);
  for (const index of [1, 3]) expect(results[index]).not.toBe('operations_team_name_does_not_exist');
});

test('creates an account with the longest metadata key that staging accepts', async () => {
  const key = Array.from({ length: 1_024 }, (_, index) =>
    String.fromCodePoint(0x4e00 + ((index * 7_919) % 20_000)),
  ).join('');
  expect((await stage(domesticAccount({ ...ours, metadata: [{ key, value: {} }] }, 10))).status).toBe(201);
  expect(await create('HOME-00000010', { dry_run: true })).toMatchObject({
    status: 400,
    body: { code: 'dry_run_succeeded' },
  });
});
