import { afterAll, expect, test } from '@jest/globals';
import { workflowIds } from '../../temporal.config.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startService, type Answer } from '../support/harness.ts';
import { until } from '../support/until.ts';

// An account for which the database needs as many seconds as its number says, so that six of them together take
// longer than the statement timeout, and each alone does not; and one that never ends.
const SLOW = 'SLOW-';
const ENDLESS = 'ENDLESS-1';

// One run at a time per supplier, so that requests in the meantime form a batch.
const service = await startService({
  worker: true,
  settings: { CREATION_RUNS_IN_FLIGHT: '1', CREATION_ALONE_STATEMENT_MS: '4000' },
});
afterAll(() => service.stop());
await service.database.pool.query(
  `insert into import_supplier (code, name) values ('SUPPLIER_GB', 'Another supplier')`,
);
const tokens: Record<string, string> = {
  SUPPLIER_FR: await service.supplierToken(['SUPPLIER_FR']),
  SUPPLIER_GB: await service.supplierToken(['SUPPLIER_GB']),
};
await service.database.pool.query(`
    create function take_long() returns trigger language plpgsql as $$ begin
      perform pg_sleep(case when new.external_account_number like 'ENDLESS-%' then 600 when new.external_account_number like 'SLOW-%' then 0.9 else 0 end);
      return new;
    end $$`);
await service.database.pool.query(
  'create trigger take_long before insert on account for each row execute function take_long()',
);

let staged = 0;
async function stage(supplier: string, external: string): Promise<void> {
  const body = domesticAccount({ import_supplier: supplier, external_account_number: external }, (staged += 1));
  expect(
    (
      await service.call('POST', '/v1/data-import/account-import-process/create-or-update/', {
        token: tokens[supplier]!,
        body,
      })
    ).status,
  ).toBe(201);
}
const create = (supplier: string, external: string): Promise<Answer> =>
  service.call('POST', '/v1/data-import/account-import-process/process/', {
    token: tokens[supplier]!,
    body: { import_supplier_code: supplier, external_account_number: external, operations_team_name: 'Migration' },
  });
/** Repeats incomplete requests, as suppliers do. */
async function created(supplier: string, external: string): Promise<Answer> {
  let answer = await create(supplier, external);
  while (answer.status === 503) answer = await create(supplier, external);
  return answer;
}
const stuck = async (external: string) =>
  (await service.call('GET', `/v1/operations/stuck/?account=${external}`, { token: service.operatorToken })).body
    .stuck as Record<string, any>[];
const summaries = (answers: Answer[]) => answers.map(({ status, body }) => (status === 201 ? 'created' : body.code));

test('splits a batch that exceeds the statement timeout, and delays no other supplier', async () => {
  const slow = Array.from({ length: 6 }, (_, index) => `${SLOW}${index}`);
  const small = Array.from({ length: 5 }, (_, index) => `SMALL-${index}`);
  for (const external of ['FIRST', ...slow]) await stage('SUPPLIER_FR', external);
  for (const external of small) await stage('SUPPLIER_GB', external);

  let slowCompleted = 0;
  const answers = Promise.all(
    ['FIRST', ...slow].map(async (external) => {
      const answer = await created('SUPPLIER_FR', external);
      if (external !== 'FIRST') slowCompleted += 1;
      return answer;
    }),
  );
  const others = await Promise.all(small.map((external) => created('SUPPLIER_GB', external)));
  expect(summaries(others)).toEqual(Array(5).fill('created'));
  // The last of the slow ones is still in progress: no request of the other supplier waited for it.
  expect(slowCompleted).toBeLessThan(6);
  expect(summaries(await answers)).toEqual(Array(7).fill('created'));
});

test('quarantines an account that exceeds the timeout even alone, lists it with reason and remedy, and creates it on retry', async () => {
  const otherAccounts = ['BESIDE-1', 'BESIDE-2', 'BESIDE-3'];
  for (const external of ['SECOND', ENDLESS, ...otherAccounts]) await stage('SUPPLIER_FR', external);
  const first = create('SUPPLIER_FR', 'SECOND');
  const endless = create('SUPPLIER_FR', ENDLESS);
  const answers = await Promise.all(otherAccounts.map((external) => created('SUPPLIER_FR', external)));
  expect((await first).status).toBe(201);
  // In the same batch as the endless one: created, and found by the request or a resend.
  for (const answer of answers) {
    expect(answer.status === 201 || answer.body.code === 'account_import_process_already_imported').toBe(true);
  }
  expect(['account_quarantined', 'creation_pending']).toContain((await endless).body.code);

  await until(
    async () => (await stuck(ENDLESS)).some(({ last_failure: failure }) => failure?.type === 'database_timed_out'),
    500,
  );
  const [waiting] = await stuck(ENDLESS);
  expect(waiting).toMatchObject({
    kind: 'create-account',
    accounts: [{ import_supplier: 'SUPPLIER_FR', external_account_number: ENDLESS }],
    last_failure: { type: 'database_timed_out', message: 'The database did not finish within our timeout (57014).' },
    what_to_do: expect.stringContaining('too large for its time limit'),
    next_attempt_at: expect.any(String),
  });
  const {
    rows: [process],
  } = await service.database.pool.query(
    'select refusal, workflow_id from import_process where external_account_number = $1',
    [ENDLESS],
  );
  expect(process).toMatchObject({
    refusal: { code: 'creation_failed', fault: { sqlstate: '57014' } },
    workflow_id: workflowIds.createAccount('SUPPLIER_FR', ENDLESS),
  });

  await service.database.pool.query('alter table account disable trigger take_long');
  expect(
    (await service.call('POST', `/v1/operations/stuck/${waiting!['id']}/retry/`, { token: service.operatorToken })).body
      .outcome,
  ).toBe('activity_reset');
  await until(
    async () =>
      (await service.database.pool.query('select 1 from account where external_account_number = $1', [ENDLESS]))
        .rowCount === 1,
  );
  await service.database.pool.query('alter table account enable trigger take_long');
  await until(async () => (await stuck(ENDLESS)).length === 0, 500);
});
