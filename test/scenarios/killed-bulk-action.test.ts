import { afterAll, expect, test } from '@jest/globals';
import { domesticAccount } from '../support/account-payload.ts';
import { randomOf } from '../support/account-variants.ts';
import { send } from '../support/harness.ts';
import { issueToken } from '../support/issue-token.ts';
import { until } from '../support/until.ts';
import { startStack, withoutThread } from './stack.ts';

// Bulk actions whose worker is killed at seeded moments handle each item once.

/** Items of the action in Postgres; KILL_BULK=20000 is the long form. */
const MESSAGES = Number(process.env['KILL_BULK'] ?? 1_500);
/** Runs that are retried. */
const RUNS = 60;
/** Determines when the kills happen; any seed must work. */
const SEED = Number(process.env['KILL_BULK_SEED'] ?? 41);
const KILLS = 4;

const stack = await startStack(withoutThread);
afterAll(async () => {
  await stack?.stop();
}, 120_000);
const operator = await issueToken(stack, 'operator', []);

async function call(method: string, path: string, body?: unknown, token = operator) {
  const answer = await send(stack.url, method, path, { token, body });
  if (answer.status >= 300) throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

async function killWhile(id: string, kills: number): Promise<any> {
  const read = () => call('GET', `/v1/operations/bulk-actions/${id}/`);
  const { matched } = await read();
  const random = randomOf(SEED);
  const moments = Array.from({ length: kills }, () => random() * 0.9 * matched).toSorted((one, other) => one - other);
  for (const moment of moments) {
    await until(async () => (await read()).handled >= moment, 20);
    await stack.kill('worker');
    await stack.start('worker');
  }
  await until(async () => (await read()).status === 'COMPLETED', 200);
  return read();
}

async function expectEachOnce({ bulk_action_id: id, handled }: any): Promise<void> {
  const rows = await stack.query<{ items: number; distinct: number }>(
    `select count(*)::integer as items, count(distinct item)::integer as distinct from bulk_action_item where bulk_action_id = $1`,
    [id],
  );
  expect(rows).toEqual([{ items: handled, distinct: handled }]);
}

test('dismisses each message once with the worker killed', async () => {
  await stack.query(
    `insert into market_message (message_id, source, import_supplier, external_account_number, outcome, occurred_at, received_at, effect)
     select 'M-' || n, 'message', 'SUPPLIER_FR', 'NOBODY-' || n, 'ACCEPTED', now(), now() - interval '1 hour', 'unknown-account' from generate_series(1, $1::integer) n`,
    [MESSAGES],
  );
  // Each dismissal leaves a row, and takes a while, so that all kills happen within the action.
  await stack.query('create table dismissal (message_id text)');
  await stack.query(
    `create function note() returns trigger language plpgsql as 'begin perform pg_sleep(0.002); insert into dismissal values (new.message_id); return null; end'`,
  );
  await stack.query('create trigger note after update on market_message for each row execute function note()');
  await stack.query('grant insert on dismissal to public');
  const started = await call('POST', '/v1/operations/bulk-actions/', { action: 'dismiss', reason: 'Old messages.' });
  const ended = await killWhile(started.bulk_action_id, KILLS);
  expect(ended).toMatchObject({ matched: MESSAGES, handled: MESSAGES, outcomes: { done: MESSAGES } });
  await expectEachOnce(ended);
  const dismissals = await stack.query(`select 1 from dismissal`);
  expect(dismissals).toHaveLength(MESSAGES);
  expect(await stack.query(`select 1 from audit_entry where action like 'bulk_action.%'`)).toHaveLength(1);
  await stack.query('drop function note cascade');
}, 240_000);

test('retries each run once with the worker killed', async () => {
  await stack.query(`alter table account add constraint of_test check (external_account_number not like 'KILL-%')`);
  await Promise.all(
    Array.from({ length: RUNS }, async (_, n) => {
      const external = `KILL-${n}`;
      const path = '/v1/data-import/account-import-process/';
      await call(
        'POST',
        `${path}create-or-update/`,
        domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external }, n),
        stack.token,
      );
      await send(stack.url, 'POST', `${path}process/`, {
        token: stack.token,
        body: {
          external_account_number: external,
          import_supplier_code: 'SUPPLIER_FR',
          operations_team_name: 'Migration',
        },
      });
    }),
  );
  const failing = `select 1 from work_item where cause = 'database_refuses_data'`;
  await until(async () => (await stack.query(failing)).length === RUNS, 200);
  const started = await call('POST', '/v1/operations/bulk-actions/', {
    action: 'retry',
    filter: { cause: 'database_refuses_data' },
    reason: 'The constraint was removed.',
  });
  const ended = await killWhile(started.bulk_action_id, 1);
  expect(ended).toMatchObject({ matched: RUNS, handled: RUNS, outcomes: { gone: 0, refused: 0 } });
  await expectEachOnce(ended);
  await stack.query('alter table account drop constraint of_test');
  await until(async () => (await stack.query(failing)).length === 0, 200);
  expect(await stack.query(`select 1 from account where external_account_number like 'KILL-%'`)).toHaveLength(RUNS);
}, 240_000);
