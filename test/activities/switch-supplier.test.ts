import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { switchActivities, type SwitchActivities } from '../../activities/switching/index.ts';
import { fixedSecret } from '../../src/platform/secrets/secrets.ts';
import { createLog } from '../../src/platform/log.ts';
import { createIndustrySwitch } from '../../src/vendors/industry-switch/industry-switch.client.ts';
import {
  startIndustrySwitchSimulator,
  type IndustrySwitchSimulator,
} from '../../src/vendors/industry-switch/industry-switch.simulator.ts';
import { industrySwitchLimits } from '../../temporal.config.ts';
import { startService, type Service } from '../support/harness.ts';
import { inDays, switchTestOf, type SwitchTest } from '../support/switching.ts';
import { until } from '../support/until.ts';

// The activity alone, without its workflow: real database, the industry switch on the wire. The worker creates accounts; it has no address of the switch.

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

test('each point that is due is asked for once, and the answer is stored', async () => {
  const accountNumber = await tests.create('DUE-1', [
    ['32000000000001', inDays(3)],
    ['32000000000002', inDays(300)],
  ]);
  await new MockActivityEnvironment().run(activities.sendSwitchRequests, { accountNumber });
  await new MockActivityEnvironment({ attempt: 2 }).run(activities.sendSwitchRequests, { accountNumber });
  expect(await answersOf(accountNumber)).toEqual(['ACCEPTED']);
  expect(simulator.requests).toHaveLength(1);
});

test('while the switch keeps it waiting it tells that it lives; cancelled, it ends the call and asks for no more points', async () => {
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
  // Not only left behind: the call's own time limit is 5 s.
  expect(performance.now() - cancelledAt).toBeLessThan(4_000);
  expect(await answersOf(accountNumber)).toEqual(['ACCEPTED', null, null]);

  // The next attempt sends the same request once more, which the switch has taken, and the one that is left.
  const slow = simulator.requests[before + 1];
  await new MockActivityEnvironment({ attempt: 2 }).run(activities.sendSwitchRequests, { accountNumber });
  expect(await answersOf(accountNumber)).toEqual(['ACCEPTED', 'ACCEPTED', 'ACCEPTED']);
  expect(simulator.requests.slice(before + 2)).toEqual([slow, expect.any(String)]);
});
