import { afterAll, expect, test } from '@jest/globals';
import { startIndustrySwitchSimulator } from '../../../src/vendors/industry-switch/industry-switch.simulator.ts';
import { startService } from '../../support/harness.ts';
import { until } from '../../support/until.ts';
import { inDays, switchTestOf } from '../../support/switching.ts';

const simulator = await startIndustrySwitchSimulator();
const service = await startService({ worker: true, settings: { INDUSTRY_SWITCH_URL: simulator.url } });
const tests = await switchTestOf(service);
afterAll(async () => {
  await simulator.stop();
  await service.stop();
});

const decide = (external: string, body: object) =>
  tests.operate('PUT', `account-import-processes/SUPPLIER_FR/${external}/supply-point-claim/`, body);
const requestsOf = async (external: string) =>
  (await tests.view(external)).switch_requests.map((one: any) => one.supply_point_identifier);
const isCompleted = async (number: string) =>
  (await service.database.pool.query('select 1 from work_item where workflow_id = $1', [`switch-supplier/${number}`]))
    .rows.length === 0;

test("creates an account with a point of another one, lists it under stuck, and requests the switch after an operator's decision", async () => {
  await tests.create('FIRST-1', ['99110000000101']);
  const number = await tests.create('SECOND-1', ['99110000000101', '99110000000102']);
  const [item] = await tests.stuck('SECOND-1', 1);
  expect(item).toMatchObject({
    kind: 'switch-supplier',
    accounts: [{ import_supplier: 'SUPPLIER_FR', external_account_number: 'SECOND-1' }],
    next_attempt_at: null,
    last_failure: {
      type: 'supply_point_on_another_account',
      message: expect.stringContaining('99110000000101 is on another account'),
    },
    what_to_do: expect.stringContaining('supply-point-claim'),
  });
  await tests.stuck('FIRST-1', 0);
  await tests.dispatch();
  await tests.become('SECOND-1', 'IN_PROGRESS');
  await tests.become('FIRST-1', 'IN_PROGRESS');
  expect([await requestsOf('FIRST-1'), await requestsOf('SECOND-1')]).toEqual([['99110000000101'], ['99110000000102']]);
  // A retry decides nothing, and neither does the next round.
  expect((await tests.operate('POST', `stuck/${item.id}/retry/`)).body).toMatchObject({ outcome: 'unchanged' });
  await tests.dispatch();
  expect(await requestsOf('SECOND-1')).toEqual(['99110000000102']);
  const done = await decide('SECOND-1', {
    decision: 'GO_ON',
    supply_point_identifier: '99110000000101',
    reason: 'the former customer has moved out',
  });
  expect(done).toMatchObject({
    status: 200,
    body: {
      service_account_number: number,
      supply_points: [{ identifier: '99110000000101', held: false }, { held: false }],
    },
  });
  await until(async () => (await requestsOf('SECOND-1')).length === 2);
  await tests.stuck('SECOND-1', 0);
  expect((await tests.operate('POST', `stuck/${item.id}/retry/`)).status).toBe(404);
  expect(
    (await tests.operate('GET', 'audit/?subject=account-import-processes/SUPPLIER_FR/SECOND-1/supply-point-claim'))
      .body,
  ).toMatchObject([
    {
      action: 'supply_point_claim.decided',
      reason: 'the former customer has moved out',
      before: { held: ['99110000000101'] },
      after: { held: [], decision: 'GO_ON' },
    },
  ]);
});

test('counts a point as rejected that is left to the other account, and requests nothing for it', async () => {
  await tests.create('FIRST-2', [['99110000000201', inDays(200)]]);
  const number = await tests.create('SECOND-2', ['99110000000201']);
  await tests.dispatch();
  await until(() => isCompleted(number));
  expect(await tests.status('SECOND-2')).toBe('PENDING');
  expect((await decide('SECOND-2', { decision: 'LEAVE', reason: 'imported twice' })).body).toMatchObject({
    status: 'REJECTED',
    supply_points: [{ status: 'REJECTED', held: false }],
  });
  await tests.stuck('SECOND-2', 0);
  expect(await requestsOf('SECOND-2')).toEqual([]);
  expect((await tests.view('SECOND-2')).switch_history).toMatchObject([
    { from: 'PENDING', to: 'REJECTED', by: 'hand', reason: 'imported twice' },
  ]);
});

test('requires no decision after an account whose switch was rejected, or whose agreements end before', async () => {
  await tests.create('REJECTED-3', ['99010000000301']);
  await tests.dispatch();
  await tests.become('REJECTED-3', 'REJECTED');
  await tests.create('NEXT-3', ['99010000000301']);
  await tests.stuck('NEXT-3', 0);
  await tests.create('MOVED-OUT-3', ['99110000000302']);
  await service.database.pool.query(
    `insert into agreement (account_id, position, point_position, tariff_code, effective_from, effective_to) select id, 0, 0, 'TARIFF', '2020-01-01', $1 from account where external_account_number = 'MOVED-OUT-3'`,
    [inDays(5)],
  );
  await tests.create('MOVED-IN-3', [['99110000000302', inDays(5)]]);
  await tests.stuck('MOVED-IN-3', 0);
  // Supply that begins a day before the other's end does not follow it.
  await tests.create('TOO-EARLY-3', [['99110000000302', inDays(4)]]);
  await tests.stuck('TOO-EARLY-3', 1);
});

test('switches one of two accounts that were created concurrently, and holds the other', async () => {
  const numbers = [
    await tests.create('RACE-4A', ['99110000000401']),
    await tests.create('RACE-4B', ['99110000000401']),
  ];
  await service.database.pool.query(
    'update account_supply_point s set held_since = null from account a where a.id = s.account_id and a.number = any($1)',
    [numbers],
  );
  await tests.dispatch();
  const requested = async () => [...(await requestsOf('RACE-4A')), ...(await requestsOf('RACE-4B'))];
  await until(async () => (await requested()).length === 1);
  await until(
    async () =>
      (await tests.operate('GET', 'stuck/')).body.stuck.filter((one: any) =>
        one.accounts[0]?.external_account_number.startsWith('RACE-4'),
      ).length === 1,
    200,
  );
  expect(await requested()).toHaveLength(1);
});

test('holds a rejected point that was given to another account when its switch is requested again', async () => {
  await tests.create('FORMER-5', ['99010000000501']);
  await tests.dispatch();
  await tests.become('FORMER-5', 'REJECTED');
  await tests.create('LATER-5', [['99010000000501', inDays(100)]]);
  await tests.operate('PUT', 'account-import-processes/SUPPLIER_FR/FORMER-5/switch-status/', {
    status: 'PENDING',
    reason: 'signed now',
  });
  await tests.stuck('FORMER-5', 1);
  expect(await requestsOf('FORMER-5')).toHaveLength(1);
});

test('holds nothing of a supplier without the industry switch', async () => {
  await tests.create('FIRST-6', ['99110000000601']);
  await service.database.pool.query(
    `update import_supplier set options = options || '{"industry_switch": false}' where code = 'SUPPLIER_FR'`,
  );
  await tests.create('SECOND-6', ['99110000000601']);
  await tests.stuck('SECOND-6', 0);
});
