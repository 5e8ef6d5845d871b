import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { switchActivities, type SwitchActivities } from '../../activities/switching/switch-supplier.activities.ts';
import { fixedSecret } from '../../src/platform/secrets/secrets.ts';
import { createLog } from '../../src/platform/log.ts';
import { createIndustrySwitch } from '../../src/vendors/industry-switch/industry-switch.client.ts';
import {
  type IndustrySwitchSimulator,
  startIndustrySwitchSimulator,
} from '../../src/vendors/industry-switch/industry-switch.simulator.ts';
import { industrySwitchLimits } from '../../temporal.config.ts';
import { type Service, startService } from '../support/harness.ts';
import { inDays, type SwitchTest, switchTestOf } from '../support/switching.ts';
import { until } from '../support/until.ts';

// The activity without its workflow, on a real database, with the industry switch behind HTTP. The worker only creates accounts; it has no address of the switch.

let service: Service;
let tests: SwitchTest;
let simulator: IndustrySwitchSimulator;
let industrySwitch: ReturnType<typeof createIndustrySwitch>;
let activities: SwitchActivities;
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
  activities = switchActivities({ database: service.database, log, industrySwitch, leadDays: 30 });
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
