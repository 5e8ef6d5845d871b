import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { busiestSecond, type CallReport } from '../support/busiest-second.ts';
import { send } from '../support/harness.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';
import { stopChild } from './measure.ts';
import { ownersUrl, startUp, type UpFile } from './platform.ts';
import { seed } from './stage-set.ts';

/*
 * `npm run bench -- throttle`: how much of the set speed lookups use through the whole product, and the most calls in
 * any second, by the network operator's clock. BENCH_SPEEDS (5,10,60,200) are the speeds, BENCH_SECONDS (10) the
 * duration of each.
 */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 10);
const SPEEDS = (process.env['BENCH_SPEEDS'] ?? '5,10,60,200').split(',').map(Number);
/** Connections are opened, and slots of the earlier speed have passed. */
const SETTLE_MS = 2_500;
const FIRST = 25_000_000_000_000;
let next = 0;

/** Measures with one worker, then with two, and prints a line for each speed. */
export async function benchThrottle(print: (line?: string) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-throttle-'));
  const operator = fork(join(import.meta.dirname, '../support/counting-operator.ts'), { execArgv: [] });
  const { url } = (await once(operator, 'message'))[0] as { url: string };
  const settings = { ENEDIS_SGE_URL: url, ENEDIS_SGE_LOGIN: 'bench@supplier.example' };
  const { up, child } = await startUp(folder, settings);
  const owner = new pg.Client({ connectionString: await ownersUrl(folder, up.database) });
  await owner.connect();
  let second: ChildProcess | undefined;
  try {
    const token = await seed(up.database);
    print('\nlookups at a set speed, counted by the network operator (goal: 95 % used, no second above)');
    for (const workers of [1, 2]) {
      if (workers === 2) second = await startWorker(up, settings);
      for (const speed of SPEEDS) print(await measured({ up, token, owner, operator }, workers, speed));
    }
  } finally {
    await owner.end();
    if (second) await stopChild(second);
    await stopChild(child);
    operator.disconnect();
    await removeDataFolder(folder);
  }
}

interface Scene {
  up: UpFile;
  token: string;
  owner: pg.Client;
  operator: ChildProcess;
}

async function measured({ up, token, owner, operator }: Scene, workers: number, speed: number): Promise<string> {
  await owner.query(
    `update throttle set requests_per_second = $1::numeric, requests_per_hour = $1::numeric * 3600 where network_operator = 'enedis'`,
    [speed],
  );
  const count = Math.ceil(speed * (SECONDS + SETTLE_MS / 1_000 + 2));
  const body = { prm_ids: Array.from({ length: count }, () => String(FIRST + (next += 1))) };
  const accepted = await send(up.http, 'POST', '/v1/data-import/supply-point/populate/', { token, body });
  if (accepted.status !== 201) throw new Error(JSON.stringify(accepted.body));
  await sleep(SETTLE_MS);
  const from = (await report(operator)).calls.length;
  await sleep(SECONDS * 1_000);
  const { calls, late } = await report(operator);
  const counted = calls.slice(from);
  // From the first to the last call, so that a second does not gain from a random extra call.
  const seconds = (counted.at(-1)! - counted[0]!) / 1_000;
  const used = ((counted.length - 1) / seconds / speed) * 100;
  const lateMs = late.filter(([begin]) => begin >= counted[0]!).reduce((sum, [begin, end]) => sum + end - begin, 0);
  await empty(owner);
  return `  ${workers} ${workers === 1 ? 'worker ' : 'workers'} ${String(speed).padStart(5)}/s   ${used.toFixed(1)} % used   at most ${busiestSecond({ calls: counted, late })} in a second   longest pause ${longestPause(counted).toFixed(0)} ms of ${(1_000 / 0.965 / speed).toFixed(0)}   the network operator itself was late for ${lateMs.toFixed(0)} ms`;
}

const longestPause = (calls: readonly number[]): number =>
  calls.reduce((longest, at, index) => Math.max(longest, index === 0 ? 0 : at - calls[index - 1]!), 0);

/** Lets the remaining lookups run as fast as they can. */
async function empty(owner: pg.Client): Promise<void> {
  await owner.query('update throttle set requests_per_second = 100000, requests_per_hour = 360000000');
  for (;;) {
    const { rows } = await owner.query(
      'select 1 from population_operator_progress where imported + errored < accepted limit 1',
    );
    if (rows.length === 0) return;
    await sleep(100);
  }
}

async function report(operator: ChildProcess): Promise<CallReport> {
  const answer = once(operator, 'message');
  operator.send('report');
  return (await answer)[0] as CallReport;
}

async function startWorker(up: UpFile, settings: Record<string, string>): Promise<ChildProcess> {
  const worker = spawn(process.execPath, [join(import.meta.dirname, '../../src/processes/worker.ts')], {
    env: {
      ...process.env,
      ...settings,
      NODE_ENV: 'production',
      DATABASE_URL: up.database,
      TEMPORAL_ADDRESS: up.temporal,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await sleep(4_000);
  return worker;
}
