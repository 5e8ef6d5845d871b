import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { requestActivities, type RequestActivities } from '../../activities/switching/switch-pages.activities.ts';
import { fixedSecret } from '../../src/platform/secrets/secrets.ts';
import { createLog } from '../../src/platform/log.ts';
import { createIndustrySwitch } from '../../src/vendors/industry-switch/open.ts';
import {
  type IndustrySwitchSimulator,
  startIndustrySwitchSimulator,
} from '../../src/vendors/industry-switch/industry-switch.simulator.ts';
import { industrySwitchLimits, switchPageBudget, workflowIds } from '../../temporal.config.ts';
import { type Service, startService } from '../support/harness.ts';
import { inDays, type SwitchTest, switchTestOf } from '../support/switching.ts';
import { until } from '../support/until.ts';

// The activities without their workflows, on a real database, with the industry switch behind HTTP. The worker only creates accounts; it has no
// address of the switch.

let service: Service;
let tests: SwitchTest;
let simulator: IndustrySwitchSimulator;
let industrySwitch: ReturnType<typeof createIndustrySwitch>;
let activities: RequestActivities;
beforeAll(async () => {
  service = await startService({ worker: true });
  tests = await switchTestOf(service);
  simulator = await startIndustrySwitchSimulator();
  industrySwitch = createIndustrySwitch({
    url: simulator.url,
    credential: fixedSecret(undefined),
    limits: industrySwitchLimits,
  });
  const log = createLog({ level: 'silent', process: 'test' });
  activities = requestActivities({
    database: service.database,
    log,
    industrySwitch,
    leadDays: 30,
    canRequest: true,
    activity: { isActive: () => false },
  });
});
afterAll(async () => {
  await industrySwitch?.close();
  await simulator?.stop();
  await service?.stop();
});

async function answersOf(accountNumber: string): Promise<(string | null)[]> {
  const { rows } = await service.database.pool.query<{ answer: string | null }>(
    'select r.answer from switch_request r join account a on a.id = r.account_id where a.number = $1 order by r.point_position',
    [accountNumber],
  );
  return rows.map(({ answer }) => answer);
}

test('requests the switch of each due point once, and stores the answer', async () => {
  const accountNumber = await tests.create('DUE-1', [
    ['32000000000001', inDays(3)],
    ['32000000000002', inDays(300)],
  ]);
  await new MockActivityEnvironment().run(activities.sendSwitchRequests, { accountNumber });
  await new MockActivityEnvironment({ attempt: 2 }).run(activities.sendSwitchRequests, { accountNumber });
  expect(await answersOf(accountNumber)).toEqual(['ACCEPTED']);
  expect(simulator.requests).toHaveLength(1);
});

test('heartbeats during a slow call; after a cancellation it aborts the call and requests no more points', async () => {
  const accountNumber = await tests.create('SLOW-1', [
    ['32000000000003', inDays(3)],
    ['99040000000001', inDays(3)],
    ['32000000000004', inDays(3)],
  ]);
  const before = simulator.requests.length;
  const environment = new MockActivityEnvironment();
  let heartbeats = 0;
  environment.on('heartbeat', () => (heartbeats += 1));
  const running = environment.run(activities.sendSwitchRequests, { accountNumber });
  await until(() => heartbeats > 0 && simulator.requests.length === before + 2);
  const cancelledAt = performance.now();
  environment.cancel();
  await expect(running).rejects.toThrow(CancelledFailure);
  // The call was aborted: its own timeout is 5 s.
  expect(performance.now() - cancelledAt).toBeLessThan(4_000);
  expect(await answersOf(accountNumber)).toEqual(['ACCEPTED', null, null]);

  // The next attempt repeats the request that the switch has accepted, and sends the remaining one.
  const slow = simulator.requests[before + 1];
  await new MockActivityEnvironment({ attempt: 2 }).run(activities.sendSwitchRequests, { accountNumber });
  expect(await answersOf(accountNumber)).toEqual(['ACCEPTED', 'ACCEPTED', 'ACCEPTED']);
  expect(simulator.requests.slice(before + 2)).toEqual([slow, expect.any(String)]);
});

const requestPage = (budget = {}) =>
  new MockActivityEnvironment().run(activities.requestDueSwitches, { ...switchPageBudget, ...budget });
const itemOf = async (accountNumber: string) =>
  (
    await service.database.pool.query(
      `select tries, runs_alone as alone, cause, failure, state, extract(epoch from start_at - now())::float8 as seconds
       from work_item where workflow_id = $1`,
      [workflowIds.switchSupplier(accountNumber)],
    )
  ).rows[0];
const makeDue = () =>
  service.database.pool.query(
    `update work_item set start_at = now(), held_until = null where kind = 'switch-supplier'`,
  );

test('requests a page of accounts, and counts a failed try of one that fails while others are answered', async () => {
  await service.database.pool.query('delete from work_item');
  const [well, down] = [
    await tests.create('PAGE-WELL', [['32000000000011', inDays(3)]]),
    await tests.create('PAGE-DOWN', [['99030000000011', inDays(3)]]),
  ];
  const before = simulator.requests.length;
  expect(await requestPage()).toMatchObject({ isSignalled: false });
  expect(simulator.requests.length).toBe(before + 2);
  expect(await tests.status('PAGE-WELL')).toBe('IN_PROGRESS');
  expect(await itemOf(well)).toMatchObject({ tries: 0, cause: null, seconds: expect.closeTo(30 * 86_400, -3) });
  const failure = { cause: 'vendor_unavailable', failure: 'The industry switch fails (503).' };
  const { seconds, ...item } = await itemOf(down);
  expect(item).toEqual({ tries: 1, alone: false, state: null, ...failure });
  expect(seconds).toBeLessThanOrEqual(5);
  for (let tries = 2; tries < switchPageBudget.triesMax; tries += 1) {
    await makeDue();
    await requestPage();
    expect(await itemOf(down)).toMatchObject({ tries, alone: false });
  }
  await makeDue();
  await requestPage();
  // It has a run of its own from now on, with the same request.
  expect(await itemOf(down)).toMatchObject({ tries: 3, alone: true, ...failure });
  expect(new Set(simulator.requests.slice(before)).size).toBe(2);
});

test('counts no try while the industry switch as a whole fails, and throws its failure', async () => {
  await service.database.pool.query('delete from work_item');
  const down = await tests.create('ALL-DOWN', [['99130000000021', inDays(3)]]);
  await expect(requestPage()).rejects.toThrow('rejects');
  expect(await itemOf(down)).toMatchObject({ tries: 0, alone: false, cause: 'vendor_misconfigured' });
  expect((await itemOf(down)).seconds).toBeLessThanOrEqual(0);
});

test('splits the requests of a large account over pages', async () => {
  await service.database.pool.query('delete from work_item');
  const points = Array.from(
    { length: 25 },
    (_, index) => [`3200000001${String(index).padStart(4, '0')}`, inDays(3)] as const,
  );
  const number = await tests.create('LARGE-1', points);
  const before = simulator.requests.length;
  expect(await requestPage()).toMatchObject({ isSignalled: false, dueSeconds: expect.any(Number) });
  expect(simulator.requests.length).toBe(before + 20);
  await requestPage();
  expect(simulator.requests.length).toBe(before + 25);
  expect((await answersOf(number)).every((answer) => answer === 'ACCEPTED')).toBe(true);
});
