import { afterAll, expect, test } from '@jest/globals';
import { businessAccount, domesticAccount } from '../support/account-payload.ts';
import { businessRequest } from '../support/business-payload.ts';
import { randomOf } from '../support/account-variants.ts';
import { send } from '../support/harness.ts';
import { contentsOfTables } from '../support/table-contents.ts';
import { until } from '../support/until.ts';
import { inDays } from '../support/switching.ts';
import { OUTSIDE_WITHDRAWAL } from '../support/withdrawals.ts';
import { startStack, withoutThread, type Part } from './stack.ts';

// The withdrawal of a job whose parts are killed at seeded moments ends in the state before the creation.

/** Accounts of the job; KILL_WITHDRAWN=5000 is the long form. */
const ACCOUNTS = Number(process.env['KILL_WITHDRAWN'] ?? 500);
/** Determines when the kills happen; any seed must work. */
const SEED = Number(process.env['KILL_WITHDRAWAL_SEED'] ?? 39);
const KILLED: Part[] = ['worker', 'postgres', 'worker', 'temporal', 'worker'];

const stack = await startStack(withoutThread);
afterAll(async () => {
  await stack?.stop();
}, 120_000);

async function call(method: string, path: string, body?: unknown, headers = {}) {
  const answer = await send(stack.url, method, `/v1/data-import/${path}`, { token: stack.token, body, headers });
  if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function runJob(job: object, lines: readonly object[] = []): Promise<string> {
  const { job_id: jobId } = await call('POST', 'import-jobs/', {
    import_supplier: 'SUPPLIER_FR',
    kind: 'accounts',
    ...job,
  });
  if (lines.length > 0) {
    const part = lines.map((line) => JSON.stringify(line)).join('\n');
    await call('PUT', `import-jobs/${jobId}/parts/1/`, part, { 'content-type': 'application/x-ndjson' });
  }
  await call('POST', `import-jobs/${jobId}/start/`);
  await until(async () => (await call('GET', `import-jobs/${jobId}/`)).status === 'COMPLETED', 200);
  return jobId;
}

const JOBS = [
  'import_job',
  'import_job_line',
  'import_job_page',
  'import_job_part',
  'import_job_cause',
  'idempotency_use',
];
const contents = () =>
  contentsOfTables(
    {
      pool: { query: async (text: string, values: unknown[]) => ({ rows: await stack.query(text, values) }) },
    } as never,
    [...OUTSIDE_WITHDRAWAL, ...JOBS, 'party_health', 'party_minute', 'retention', 'setting'],
  );

const BUSINESSES = 10;
const createBusinesses = async () => {
  for (let sequence = 1; sequence <= BUSINESSES; sequence += 1) {
    await call('POST', 'business/', businessRequest({}, sequence));
  }
};

/** An account with every field; every third one shares a supply point with its predecessor, and every other third one is of a business. */
function account(index: number): any {
  const make = index % 3 === 2 ? businessAccount : domesticAccount;
  const sent: any = make({ import_supplier: 'SUPPLIER_FR' }, index + 1);
  if (sent.business) sent.business.business_contract_identifier = `FRAME-${(index % BUSINESSES) + 1}`;
  const shared: any = domesticAccount({}, index);
  if (index % 3 === 1) sent.supply_addresses = shared.supply_addresses;
  for (const address of sent.supply_addresses) {
    for (const point of address.supply_points) point.supply_start_date = inDays(200);
  }
  if (index % 3 === 1) sent.payment_preferences = shared.payment_preferences;
  return sent;
}

const progress = () =>
  stack
    .query<{ status: string; done: number }>('select status, withdrawn + kept as done from withdrawal')
    .catch(() => undefined);

test('withdraws each account once with worker, Postgres and Temporal killed at seeded moments', async () => {
  await runJob(
    { goal: 'STAGE' },
    Array.from({ length: ACCOUNTS }, (_, index) => account(index)),
  );
  const before = await contents();
  await createBusinesses();
  const jobId = await runJob({ goal: 'CREATE', selection: 'staged', operations_team_name: 'Migration' });
  const numbers = await stack.query<{ number: string }>('select number from account');
  expect(numbers).toHaveLength(ACCOUNTS);
  // Slow, so that all kills happen within the withdrawal.
  await stack.query(
    `create function slow() returns trigger language plpgsql as 'begin perform pg_sleep(0.1); return null; end'`,
  );
  await stack.query('create trigger slow after delete on account for each statement execute function slow()');
  const { withdrawal_id: id } = await call('POST', `import-jobs/${jobId}/withdraw/`, {
    reason: 'Wrong file.',
    withdraw_businesses: true,
  });

  const random = randomOf(SEED);
  const kills = KILLED.map((part) => ({ part, at: random() * 0.9 * ACCOUNTS })).toSorted(
    (one, other) => one.at - other.at,
  );
  for (const { part, at } of kills) {
    await until(async () => ((await progress())?.[0]?.done ?? -1) >= at, 20);
    await stack.kill(part);
    await stack.start(part);
  }
  await until(async () => (await progress())?.[0]?.status === 'COMPLETED', 200);
  await stack.query('drop function slow cascade');
  await stack.ready();

  const withdrawal = await call('GET', `withdrawals/${id}/`);
  expect(withdrawal).toMatchObject({ withdrawn: ACCOUNTS, kept: 0, obstacles: [] });
  expect(withdrawal.deleted_rows).toContainEqual({ table: 'account', rows: ACCOUNTS });
  expect(withdrawal.deleted_rows).toContainEqual({ table: 'business', rows: BUSINESSES });
  expect(withdrawal.businesses).toMatchObject([{ outcome: 'withdrawn', businesses: BUSINESSES }]);
  expect(await contents()).toEqual(before);
  const withdrawn = await stack.query<{ number: string }>('select number from withdrawn_account');
  expect(withdrawn.map(({ number }) => number).sort()).toEqual(numbers.map(({ number }) => number).sort());
  const counts = await stack.query<{ state: string; count: number }>(
    `select state, sum(count)::integer as count from (select state, count from account_count union all select state, change from account_count_change) c group by 1`,
  );
  const nonzero = counts.filter(({ count }) => count !== 0);
  expect(nonzero).toEqual([{ state: 'known', count: ACCOUNTS }]);
  const events = await stack.query(
    `select 1 from event where type = 'import.account.withdrawn.v1' union all select 1 from event_outbox where type = 'import.account.withdrawn.v1'`,
  );
  expect(events).toHaveLength(ACCOUNTS);
  await until(async () => (await stack.query(`select 1 from work_item where kind = 'withdraw'`)).length === 0, 200);

  // Created again, each gets another number.
  await createBusinesses();
  await runJob({ goal: 'CREATE', selection: 'staged', operations_team_name: 'Migration' });
  const again = await stack.query('select 1 from account where number <> all ($1)', [
    numbers.map(({ number }) => number),
  ]);
  expect(again).toHaveLength(ACCOUNTS);
}, 420_000);
