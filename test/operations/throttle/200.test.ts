import { monitorEventLoopDelay } from 'node:perf_hooks';
import { afterAll, expect, test } from '@jest/globals';
import { startWorkers } from '../../../src/processes/start-workers.ts';
import { createLog } from '../../../src/platform/log.ts';
import { openTemporalGateway, type TemporalGateway } from '../../../src/platform/temporal/temporal-gateway.ts';
import { USED_SHARE } from '../../../src/supply-points/throttle/throttle.rules.ts';
import { until } from '../../support/until.ts';
import { points, startPopulation } from '../../support/population.ts';

const PATH = '/v1/operations/network-operators/enedis/throttle/';
const more: { stop(): Promise<void> }[] = [];
const gateways: TemporalGateway[] = [];
const service = await startPopulation();
// Three workers in all.
const log = createLog({ level: 'silent', process: 'test' });
for (let index = 0; index < 2; index += 1) {
  const gateway = openTemporalGateway({
    address: process.env['TEST_TEMPORAL_ADDRESS'] as string,
    namespace: service.settings.TEMPORAL_NAMESPACE,
    log,
  });
  gateways.push(gateway);
  more.push(await startWorkers({ settings: service.settings, gateway, log }));
}
afterAll(async () => {
  for (const worker of more) await worker.stop();
  for (const gateway of gateways) await gateway.close();
  await service.stop();
});

const get = () => service.call('GET', PATH, { token: service.operatorToken });
const put = (body: object) => service.call('PUT', PATH, { token: service.operatorToken, body });

test('shows the speed, changes single members, and audits it', async () => {
  expect((await put({ requests_per_second: 7, requests_per_hour: 10_000, reason: 'contract' })).body).toMatchObject({
    network_operator: 'enedis',
    requests_per_second: 7,
    requests_per_hour: 10_000,
    used_per_second: 2.681,
    blocked_until: null,
    reason: 'contract',
  });
  expect((await put({ requests_per_second: 0 })).body).toMatchObject({
    requests_per_second: 0,
    requests_per_hour: 10_000,
    used_per_second: 0,
    reason: 'contract',
  });
  expect((await get()).body).toMatchObject({ requests_per_second: 0 });
  const { body } = await service.call('GET', '/v1/operations/audit/?action=throttle.changed', {
    token: service.operatorToken,
  });
  expect(body[0] ?? body.entries?.[0]).toMatchObject({
    subject: 'network-operators/enedis/throttle',
    before: { requests_per_second: 7 },
    after: { requests_per_second: 0 },
  });
});

/** Most calls in any window of the simulator's clock. */
function mostIn(windowMs: number, calls: readonly { at: number }[]): number {
  let most = 0;
  for (let from = 0, to = 0; to < calls.length; to += 1) {
    while ((calls[to]?.at ?? 0) - (calls[from]?.at ?? 0) >= windowMs) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

test('keeps three workers within the set number of calls per second, also during a change, and uses nearly all of it', async () => {
  await service.setSpeed('enedis', 0);
  const batchId = await service.populate(points(2_000, 41_000_000_000_000));
  const figures: Record<string, unknown>[] = [];
  // Three workers and the simulator share this process: a delay of the process may delay a call as much.
  const lateness = monitorEventLoopDelay({ resolution: 1 });
  lateness.enable();
  for (const speed of [20, 60, 10, 40]) {
    await service.setSpeed('enedis', speed);
    const answeredAt = performance.now();
    // The change applies from one second after its response; earlier calls are compared with the earlier speed.
    await until(() => performance.now() > answeredAt + 1_000);
    const from = service.enedis.calls.length;
    lateness.reset();
    await until(() => performance.now() > answeredAt + 6_000);
    const calls = service.enedis.calls.slice(from);
    const perSecond = (calls.length - 1) / (((calls.at(-1)?.at ?? 0) - (calls[0]?.at ?? 0)) / 1_000);
    const lateMs = lateness.max / 1e6;
    figures.push({
      speed,
      most: mostIn(1_000, calls),
      used: Number((perSecond / speed).toFixed(3)),
      lateMs: Math.round(lateMs),
    });
    // Evenly spaced calls, each late by up to this time: below 30 ms that never exceeds the set number.
    expect(mostIn(1_000, calls)).toBeLessThanOrEqual(
      Math.max(speed, Math.ceil(speed * USED_SHARE * (1 + lateMs / 1_000)) + 1),
    );
  }
  if (process.env['FIGURES']) process.stderr.write(`throttle: ${JSON.stringify(figures)}\n`);
  // The use of the speed is a figure, not a test: late slots are dropped rather than used together.
  for (const { used } of figures) expect(used).toBeGreaterThan(0);
  lateness.disable();
  await service.setSpeed('enedis', 0);
  const atPause = performance.now();
  await until(() => performance.now() > atPause + 1_000);
  const paused = service.enedis.calls.length;
  await until(() => performance.now() > atPause + 2_500);
  expect(service.enedis.calls).toHaveLength(paused);
  await service.call('POST', `/v1/operations/population-batches/${batchId}/cancel/`, { token: service.operatorToken });
});

test('keeps a limit per hour, here shortened to seconds', async () => {
  await service.setSpeed('enedis', 1_000, 3_600 * 12);
  const batchId = await service.populate(points(100, 42_000_000_000_000));
  await service.ended(batchId);
  const calls = service.enedis.calls.filter(({ identifier }) => identifier.startsWith('42'));
  expect(calls).toHaveLength(100);
  // A limit of 43,200 an hour allows 12 a second in any five seconds of it.
  expect(mostIn(5_000, calls)).toBeLessThanOrEqual(60);
});
