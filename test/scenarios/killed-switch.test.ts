import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { Connection } from '@temporalio/client';
import { startIndustrySwitchSimulator } from '../../src/vendors/industry-switch/industry-switch.simulator.ts';
import { workflowIds } from '../../temporal.config.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { send } from '../support/harness.ts';
import fc from '../support/random-seed.ts';
import { issueToken } from '../support/issue-token.ts';
import { until } from '../support/until.ts';
import { inDays, message } from '../support/switching.ts';
import { startStack, withoutThread } from './stack.ts';

/** As numbered in Temporal's API. */
const TIMEOUT_TYPE_HEARTBEAT = 4;

// Messages are sent twice, as a party does that has lost our response.
const simulator = await startIndustrySwitchSimulator({
  pauseMs: 200,
  deliver: async (messages) => {
    for (let time = 0; time < 2; time += 1) {
      await send(stack.url, 'POST', '/v1/operations/market-messages/', { token: operator, body: messages });
    }
  },
});
// Short, so that no test waits for the next round.
const stack = await startStack({ ...withoutThread, INDUSTRY_SWITCH_URL: simulator.url, DISPATCH_EVERY_MS: '1000' });
const operator = await issueToken({ query: (text, values) => stack.query(text, values) }, 'operator', []);
afterAll(async () => {
  await simulator.stop();
  await stack?.stop();
});

const status = async (external: string) =>
  (
    await send(stack.url, 'GET', `/v1/data-import/account-transfer-status/SUPPLIER_FR/${external}/`, {
      token: stack.token,
    })
  ).body.status;
const say = (external: string, outcome: string) =>
  send(stack.url, 'POST', '/v1/operations/market-messages/', { token: operator, body: [message(external, outcome)] });

/** No worker begins a round until the test allows it: neither running ones nor new ones. */
const blockDispatch = () => stack.query('delete from dispatcher_lease');
const allowDispatch = () =>
  stack.query(`insert into dispatcher_lease (name, fencing_number) values ('work-items', 1000000)`);

async function create(external: string, identifier: string): Promise<void> {
  const account = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: external });
  delete account.payment_preferences;
  const points = [{ identifier, supply_type: 'ELECTRICITY' as const, supply_start_date: inDays(3) }];
  const post = (path: string, body: unknown) =>
    send(stack.url, 'POST', `/v1/data-import/account-import-process/${path}/`, { token: stack.token, body });
  expect(
    (
      await post('create-or-update', {
        ...account,
        supply_addresses: [{ ...account.supply_addresses![0]!, supply_points: points }],
      })
    ).status,
  ).toBe(201);
  expect(
    (
      await post('process', {
        import_supplier_code: 'SUPPLIER_FR',
        external_account_number: external,
        operations_team_name: 'Migration',
      })
    ).status,
  ).toBe(201);
}

/** The failure of the first attempt of a retried activity, in the run of pages. */
async function timeoutOfFirstTry(): Promise<number | null | undefined> {
  const temporal = await Connection.connect({ address: stack.temporalAddress });
  const { history } = await temporal.workflowService.getWorkflowExecutionHistory({
    namespace: 'default',
    execution: { workflowId: workflowIds.requestSwitches },
  });
  await temporal.close();
  const again = history?.events?.find((event) => (event.activityTaskStartedEventAttributes?.attempt ?? 0) > 1);
  return again?.activityTaskStartedEventAttributes?.lastFailure?.timeoutFailureInfo?.timeoutType;
}

test('requests and completes a switch once when killed between creation and start, and again while it waits', async () => {
  await blockDispatch();
  // Accepted without further messages: the test sends them.
  await create('KILL-1', '99110000000001');
  for (const part of ['worker', 'api', 'temporal', 'postgres'] as const) await stack.kill(part);
  for (const part of ['postgres', 'temporal', 'worker', 'api'] as const) await stack.start(part);
  await stack.ready();
  expect(await status('KILL-1')).toBe('PENDING');
  expect(simulator.requests).toEqual([]);
  await allowDispatch();
  await until(async () => (await status('KILL-1')) === 'IN_PROGRESS', 500);
  expect(simulator.requests).toHaveLength(1);

  await stack.kill('worker');
  expect((await say('KILL-1', 'REJECTED')).status).toBe(200);
  await stack.kill('temporal');
  // Stored while Temporal is down, too.
  expect((await say('KILL-1', 'ACCEPTED')).body.results).toMatchObject([{ status: 'MESSAGE_STORED' }]);
  await stack.start('temporal');
  await stack.start('worker');
  await stack.ready();
  expect((await say('KILL-1', 'COMPLETED')).status).toBe(200);
  await until(async () => (await status('KILL-1')) === 'COMPLETED', 500);
  expect(simulator.requests).toHaveLength(1);
  await until(async () => (await stack.query('select 1 from work_item')).length === 0, 500);
  expect(
    (await stack.query<{ effect: string }>('select effect from market_message order by occurred_at')).map(
      ({ effect }) => effect,
    ),
  ).toEqual(['moved', 'moved', 'moved', 'moved']);
}, 300_000);

test('repeats the same request from another worker after a missed heartbeat when killed while sending', async () => {
  const before = simulator.requests.length;
  // Its network operator delays the first call.
  await create('KILL-2', '99040000000001');
  await stack.query('update work_item set start_at = now()');
  await until(() => simulator.requests.length > before, 20);
  await stack.kill('worker');
  await stack.start('worker');
  await until(async () => (await status('KILL-2')) === 'COMPLETED', 500);
  expect(new Set(simulator.requests.slice(before)).size).toBe(1);
  // Without a heartbeat the attempt of the killed worker would have kept its three minutes.
  expect(await timeoutOfFirstTry()).toBe(TIMEOUT_TYPE_HEARTBEAT);
}, 300_000);

const SWITCHES = Number(process.env['KILL_SWITCHES'] ?? 40);
const KILLS = 3;

test('requests each of many switches once by its id, and applies each message once, when workers are killed at any moment', async () => {
  const before = simulator.requests.length;
  await blockDispatch();
  for (let one = 0; one < SWITCHES; one += 1) {
    await create(`MANY-${one}`, String(24_000_000_000_000 + one));
  }
  await allowDispatch();
  for (const waitMs of fc.sample(fc.integer({ min: 200, max: 1_700 }), KILLS)) {
    await sleep(waitMs);
    await stack.kill('worker');
    await stack.start('worker');
  }
  const completed = `select count(*)::integer as count from account where external_account_number like 'MANY-%' and switch_status = 'COMPLETED'`;
  await until(async () => (await stack.query<{ count: number }>(completed))[0]!.count === SWITCHES, 500);
  expect(new Set(simulator.requests.slice(before)).size).toBe(SWITCHES);
  // A message that overtakes the answer completes the switch together with it.
  const completions = await stack.query(
    `select count(*)::integer as count, count(distinct c.account_id)::integer as accounts from switch_change c join account a on a.id = c.account_id
     where a.external_account_number like 'MANY-%' and c.status_after = 'COMPLETED'`,
  );
  expect(completions).toEqual([{ count: SWITCHES, accounts: SWITCHES }]);
  const messages = await stack.query(
    `select source, effect, count(*)::integer as count from market_message where external_account_number like 'MANY-%' group by 1, 2 order by 1`,
  );
  expect(messages).toEqual([
    { source: 'answer', effect: 'moved', count: SWITCHES },
    { source: 'message', effect: 'moved', count: SWITCHES },
  ]);
  await until(async () => (await stack.query('select 1 from work_item')).length === 0, 500);
}, 600_000);
