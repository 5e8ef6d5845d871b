import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { CancelledFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { lookupActivities, type LookupActivities } from '../../activities/supply-points/lookup-page.activities.ts';
import type { PageInput } from '../../activities/supply-points/work-off-page.activities.ts';
import { createLog } from '../../src/platform/log.ts';
import { openNetworkOperators } from '../../src/vendors/network-operator/open.ts';
import { lookupBudget } from '../../temporal.config.ts';
import { points, type PopulationService, startPopulation } from '../support/population.ts';
import { until } from '../support/until.ts';

// The activity without a workflow, on a real database, with the network operator behind HTTP.

let service: PopulationService;
let operators: ReturnType<typeof openNetworkOperators>;
let activities: LookupActivities;
let ended: string[];
beforeAll(async () => {
  service = await startPopulation({ worker: false });
  operators = openNetworkOperators(service.settings);
  ended = [];
  activities = lookupActivities({
    database: service.database,
    networkOperator: 'enedis',
    client: operators.enedis,
    knownDays: 30,
    batchesEnded: (batchIds) => ended.push(...batchIds),
    log: createLog({ level: 'silent', process: 'test' }),
  });
});
afterAll(async () => {
  await operators?.enedis.close();
  await operators?.grdf.close();
  await service?.stop();
});

const pageOf = (pageId: string): PageInput => ({
  pageId,
  networkOperator: 'enedis',
  size: 10,
  callsAtOnce: 4,
  seconds: 60,
  identifier: lookupBudget.identifier,
});

async function statesOf(identifiers: readonly string[]): Promise<{ state: string; tries: number }[]> {
  const { rows } = await service.database.pool.query(
    'select state, tries from look_up where identifier = any($1) order by identifier',
    [identifiers],
  );
  return rows;
}

const askedFor = (identifier: string) => service.enedis.calls.filter((call) => call.identifier === identifier).length;

test('processes a page, and reports the batches that end with it', async () => {
  const identifiers = points(3, 84_000_000_000_000);
  const batchId = await service.populate(identifiers);
  const result = await new MockActivityEnvironment().run(activities.lookUpPage, pageOf(randomUUID()));
  expect(result).toEqual({ kind: 'worked' });
  expect((await statesOf(identifiers)).map(({ state }) => state)).toEqual(['imported', 'imported', 'imported']);
  expect(ended).toEqual([batchId]);
});

test('returns idle without due lookups, and leaves no heartbeat timer', async () => {
  const environment = new MockActivityEnvironment();
  const heartbeats: unknown[] = [];
  environment.on('heartbeat', (details) => heartbeats.push(details));
  expect(await environment.run(activities.lookUpPage, pageOf(randomUUID()))).toEqual({
    kind: 'idle',
    waitSeconds: null,
  });
  const told = heartbeats.length;
  await new Promise((resolve) => {
    setTimeout(resolve, 2_500);
  });
  expect(heartbeats).toHaveLength(told);
});

test('heartbeats during a slow call; after a cancellation it aborts the call, keeps stored outcomes and releases the rest', async () => {
  const [silent, answered] = ['99220000000001', ...points(1, 85_000_000_000_000)] as [string, string];
  const batchId = await service.populate([silent, answered]);
  const environment = new MockActivityEnvironment();
  let heartbeats = 0;
  environment.on('heartbeat', () => (heartbeats += 1));
  const pageId = randomUUID();
  const running = environment.run(activities.lookUpPage, pageOf(pageId));
  await until(() => heartbeats > 0 && askedFor(silent) === 1 && askedFor(answered) === 1);
  const cancelledAt = performance.now();
  environment.cancel();
  await expect(running).rejects.toThrow(CancelledFailure);
  // The call was aborted: its own timeout is 10 s.
  expect(performance.now() - cancelledAt).toBeLessThan(8_000);
  expect(await statesOf([answered, silent])).toEqual([
    { state: 'imported', tries: 0 },
    { state: 'pending', tries: 0 },
  ]);
  expect(ended).not.toContain(batchId);

  // The next attempt looks up only the rest.
  const again = new MockActivityEnvironment({ attempt: 2 });
  const second = again.run(activities.lookUpPage, pageOf(pageId));
  await until(() => askedFor(silent) === 2);
  again.cancel();
  await expect(second).rejects.toThrow(CancelledFailure);
  expect(askedFor(answered)).toBe(1);
});

test('fails the page by the type of failure when the network operator is down, without counting a try of any identifier', async () => {
  const identifiers = points(2, 86_000_000_000_000);
  await service.populate(identifiers);
  service.enedis.mood('misconfigured');
  const running = new MockActivityEnvironment().run(activities.lookUpPage, pageOf(randomUUID()));
  await expect(running).rejects.toMatchObject({ type: 'vendor_misconfigured', nonRetryable: false });
  expect(await statesOf(identifiers)).toEqual([
    { state: 'pending', tries: 0 },
    { state: 'pending', tries: 0 },
  ]);
});
