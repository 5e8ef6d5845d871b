import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { busiestSecond, type CallReport } from '../support/busiest-second.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { until } from '../support/until.ts';
import { startSlowProxy, type Delay, type SlowProxy } from '../support/slow-proxy.ts';
import { createTestDatabase } from '../support/test-database.ts';

// The speed of calls by the network operator's clock: network operator and workers are separate processes.

const SECONDS = Number(process.env['THROTTLE_SECONDS'] ?? 2);
/** Rounds of about a second in which workers freeze, or the speed changes. */
const ROUNDS = Math.max(5, SECONDS);
const SPEED = 60;
const program = (name: string, env: Record<string, string> = {}) =>
  fork(join(import.meta.dirname, '../support', `${name}.ts`), {
    env: { ...process.env, ...childEnvironment(), ...env },
    execArgv: [],
  });

/** Each with its database behind its own proxy; started once, as a start costs more than a test. */
const workers: { process: ChildProcess; proxy: SlowProxy }[] = [];
const WORKERS = 3;
const clone = await createTestDatabase();
const database: pg.Pool = new pg.Pool({ connectionString: clone.url, max: 2 })
  // The stop does not wait for the server to close the connections; dropping the database cuts them.
  .on('error', () => undefined);
const operator: ChildProcess = program('counting-operator');
const url = await once(operator, 'message').then(([message]) => (message as { url: string }).url);
for (let index = 0; index < WORKERS; index += 1) {
  const proxy = await startSlowProxy(clone.url);
  const worker = program('lookup-process', { DATABASE_URL: proxy.url, OPERATOR_URL: url });
  workers.push({ process: worker, proxy });
  await once(worker, 'message');
}
afterAll(async () => {
  for (const { process: worker, proxy } of workers) {
    const ended = once(worker, 'exit');
    worker.kill('SIGKILL');
    await ended;
    await proxy.stop();
  }
  operator?.disconnect();
  await database?.end();
  await clone?.drop();
});

async function command(worker: ChildProcess, message: 'ask' | 'rest'): Promise<void> {
  const reply = once(worker, 'message');
  worker.send(message);
  await reply;
}

async function report(): Promise<CallReport> {
  const answer = once(operator, 'message');
  operator.send('report');
  return (await answer)[0] as CallReport;
}

const setSpeed = (perSecond: number) =>
  database.query(
    `update throttle set requests_per_second = $1::numeric, requests_per_hour = $1::numeric * 3600 where network_operator = 'enedis'`,
    [perSecond],
  );
const pause = (ms: number) => {
  const from = performance.now();
  return until(() => performance.now() > from + ms);
};

const QUICK: Delay = { there: 0, back: 0 };

/**
 * Lets a worker for each database delay make calls for some seconds, and counts them. Workers pause while delays
 * change, so that no message overtakes another.
 */
async function callFor(
  what: string,
  delays: Delay[],
  during: () => Promise<void> = () => pause(SECONDS * 1_000),
  speed = SPEED,
) {
  await setSpeed(speed);
  for (const [index, delay] of delays.entries()) {
    const { process: worker, proxy } = workers[index]!;
    proxy.setDelay(delay);
    await command(worker, 'ask');
  }
  // The first calls open connections.
  await pause(1_500);
  const from = (await report()).calls.length;
  const since = performance.now();
  await during();
  const seconds = (performance.now() - since) / 1_000;
  const { calls, late } = await report();
  for (const index of delays.keys()) await command(workers[index]!.process, 'rest');
  const counted = calls.slice(from);
  const most = busiestSecond({ calls: counted, late });
  if (process.env['FIGURES']) {
    process.stderr.write(
      `throttle: ${what}: at most ${most} in a second of ${speed}; ${((counted.length / seconds / speed) * 100).toFixed(1)} % used; the network operator was late ${late.length} times\n`,
    );
  }
  return { most, count: counted.length };
}

test.each<[what: string, delays: Delay[]]>([
  ['one worker', [QUICK]],
  ['three workers', [QUICK, QUICK, QUICK]],
  [
    'a database that takes 40 ms',
    [
      { there: 20, back: 20 },
      { there: 20, back: 20 },
    ],
  ],
  [
    'a database that takes 300 ms',
    [
      { there: 150, back: 150 },
      { there: 150, back: 150 },
    ],
  ],
  [
    'a database that takes 500 ms',
    [
      { there: 250, back: 250 },
      { there: 250, back: 250 },
    ],
  ],
  [
    'one worker with a fast database, one with late answers (80 ms), one with late queries',
    [QUICK, { there: 0, back: 80 }, { there: 80, back: 0 }],
  ],
])('%s: no second has more calls than are set', async (what, delays) => {
  const { most, count } = await callFor(what, delays);
  expect(most).toBeLessThanOrEqual(SPEED);
  expect(count).toBeGreaterThan(0);
});

test('uses none of the slots that pass while workers are frozen', async () => {
  const { most, count } = await callFor('frozen workers', [QUICK, QUICK], async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { process: worker } = workers[round % 2]!;
      worker.kill('SIGSTOP');
      await pause(100 + 150 * (round % 5));
      worker.kill('SIGCONT');
      await pause(500);
    }
  });
  expect(most).toBeLessThanOrEqual(SPEED);
  expect(count).toBeGreaterThan(0);
});

test('has no more calls in any second than the higher speed while it changes', async () => {
  const { most } = await callFor('changing speed', [QUICK, QUICK], async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      await setSpeed(round % 2 === 0 ? SPEED / 2 : SPEED);
      await pause(700);
    }
  });
  expect(most).toBeLessThanOrEqual(SPEED);
});
