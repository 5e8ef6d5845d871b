import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startAdictSimulator } from '../../src/vendors/network-operator/adict.simulator.ts';
import type { NetworkOperatorSimulator } from '../../src/vendors/network-operator/network-operator-server.simulator.ts';
import { startSgeSimulator } from '../../src/vendors/network-operator/sge.simulator.ts';
import { send } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { operatorSettings, points, POPULATE, sums } from '../support/population.ts';
import { startStack, type Part, type Stack } from './stack.ts';

const POINTS = Number(process.env['KILL_POINTS'] ?? 2_500);
/** Pages under way at once, and calls at once in each: what a killed worker can have asked without writing it down. */
const IN_FLIGHT_MAX = 4 * 16;

let enedis: NetworkOperatorSimulator;
let grdf: NetworkOperatorSimulator;
let stack: Stack;
beforeAll(async () => {
  enedis = await startSgeSimulator({ recordCalls: true, latencyMs: 20 });
  grdf = await startAdictSimulator();
  stack = await startStack(operatorSettings(enedis, grdf));
  await stack.query('update throttle set requests_per_second = 400, requests_per_hour = 1440000');
});
afterAll(async () => {
  await stack?.stop();
  await enedis?.stop();
  await grdf?.stop();
});

test('with worker, Temporal, Postgres and API killed in the middle of a batch, nothing is forgotten, and only what was in flight is asked twice', async () => {
  const answer = await send(stack.url, 'POST', POPULATE, { token: stack.token, body: { prm_ids: points(POINTS) } });
  expect(answer.status).toBe(201);
  const path = `${POPULATE}${answer.body.batch_id}/`;
  const completed = async () =>
    Number(
      (await stack.query<{ count: string }>(`select count(*) from population_request where state = 'imported'`))[0]
        ?.count,
    );
  const broken: unknown[] = [];
  const killAt: [share: number, part: Part][] = [
    [0.1, 'worker'],
    [0.3, 'temporal'],
    [0.5, 'postgres'],
    [0.7, 'api'],
    [0.8, 'worker'],
  ];
  for (const [share, part] of killAt) {
    await until(async () => (await completed()) >= share * POINTS, 100);
    await stack.kill(part);
    await stack.start(part);
    if (part === 'postgres') {
      await until(() =>
        stack.query('select 1').then(
          () => true,
          () => false,
        ),
      );
    }
    await stack.ready();
    const counts = sums((await send(stack.url, 'GET', path, { token: stack.token })).body);
    if (counts.imported + counts.pending + counts.errored !== counts.accepted) broken.push(counts);
  }
  await until(
    async () => (await send(stack.url, 'GET', path, { token: stack.token })).body?.status === 'COMPLETED',
    200,
  );
  const status = (await send(stack.url, 'GET', path, { token: stack.token })).body;
  expect(broken).toEqual([]);
  expect(sums(status)).toEqual({ accepted: POINTS, imported: POINTS, pending: 0, errored: 0 });
  expect(
    Number(
      (await stack.query<{ count: string }>('select count(*) from supply_point where facts is not null'))[0]?.count,
    ),
  ).toBe(POINTS);
  // Every call beyond the first of a point was in flight when a worker died, or cut off with its database.
  const asked = enedis.calls.length;
  if (process.env['FIGURES']) process.stderr.write(`killed population: ${asked - POINTS} of ${POINTS} asked twice\n`);
  expect(asked - POINTS).toBeLessThanOrEqual(killAt.length * IN_FLIGHT_MAX);
  await until(async () => (await stack.query('select 1 from work_item')).length === 0, 500);
}, 420_000);
