import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProcesses } from '../../src/local-stack/running-process.ts';
import { reservePort } from '../support/test-port.ts';
import { benchHostile } from './hostile.ts';
import { benchJobs } from './jobs.ts';
import { load, median, residentMb, startBenchServer, stopChild, type BenchServer, type Load } from './measure.ts';
import { benchPages } from './pages.ts';
import { ownersUrl, startOperator, startUp } from './platform.ts';
import { longestHistory, lookUpBare, lookUpByService, openThrottle, type PopulationBench } from './population.ts';
import { benchReconciliation } from './reconciliation.ts';
import { benchAccount, benchAttachments, insertAccounts, seed, stageMany, withClient } from './stage-set.ts';
import { benchThrottle } from './throttle.ts';
import { describeUsage, platformPids, usage } from './usage.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';

/*
 * `npm run bench [-- validate stage create attach populate jobs reconcile list start]`, and `hostile`, `pages` and `throttle` by themselves: ratios against the bare libraries and the hand-written floor,
 * measured in one run. Rounds are interleaved, so that a noisy moment hits all alike; medians of rounds are printed.
 * Nothing here fails on a figure but `hostile`; these three run only when they are named.  BENCH_SECONDS (5) and BENCH_ROUNDS (3) set the length,
 * BENCH_POINTS (20000) how many supply points are looked up, BENCH_LINES (20000) how many accounts an import job has, BENCH_ACCOUNTS (20000) how many are reconciled.
 */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 5);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 3);
/** Long enough for the compiler to have settled: the service is larger than what it is compared with. */
const WARM_UP_SECONDS = 8;
const CONNECTIONS = 32;
const LISTED = 100_000;
const POINTS = Number(process.env['BENCH_POINTS'] ?? 20_000);
/** The most for which a bare loop runs beside: beyond it only the service is watched. */
const POINTS_COMPARED_MAX = 100_000;
const DATA_IMPORT = '/v1/data-import';
const wanted = process.argv.slice(2);
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const print = (line = '') => process.stdout.write(`${line}\n`);

// Attacks need processes of their own, and take nothing from the platform below.
if (wanted.includes('hostile') && !(await benchHostile(print))) process.exitCode = 1;
// Its database is another one, and large.
if (wanted.includes('pages')) await benchPages(print);
// Counts of one speed after the other, beside nothing else.
if (wanted.includes('throttle')) await benchThrottle(print);
if (wanted.length > 0 && wanted.every((name) => ['hostile', 'pages', 'throttle'].includes(name))) process.exit();

const folder = await mkdtemp(join(tmpdir(), 'gangway-bench-'));
await chmod(folder, 0o755);
const bodyFile = join(folder, 'account.json');
const processFile = join(folder, 'process.json');
await writeFile(bodyFile, JSON.stringify(benchAccount()));
await writeFile(
  processFile,
  JSON.stringify({
    external_account_number: 'EXT-00000000',
    import_supplier_code: 'BENCH',
    operations_team_name: 'Migration',
  }),
);

const operator = isWanted('populate') ? await startOperator() : undefined;
print('Starting gangway on fresh data ...');
let { up, child } = await startUp(folder, operator?.settings);
const token = await seed(up.database);
let nextNumber = 1;
try {
  if (isWanted('validate')) await benchValidate();
  if (isWanted('stage')) await benchStage();
  if (isWanted('create')) await benchCreate();
  if (isWanted('attach')) await benchAttach();
  if (isWanted('populate')) await benchPopulation();
  if (isWanted('jobs')) await benchImportJobs();
  if (isWanted('reconcile')) await benchReconciling();

  if (isWanted('list')) await benchList();
  if (isWanted('start')) await benchStart();
} finally {
  await stopChild(child);
  if (operator) await stopChild(operator.child);
  await removeDataFolder(folder);
}

/** Single creations for some seconds, four at once. */
async function createSingly(): Promise<Load> {
  const first = await fill(500 * SECONDS);
  const url = `${up.http}${DATA_IMPORT}/account-import-process/process/`;
  return load({ url, bodyFile: processFile, token, connections: 4, seconds: SECONDS, first: first - 1 });
}

async function benchImportJobs(): Promise<void> {
  await benchJobs({ http: up.http, database: await ownersUrl(folder, up.database), token, print, createSingly });
}

async function benchReconciling(): Promise<void> {
  const database = await ownersUrl(folder, up.database);
  await benchReconciliation({ http: up.http, database, token, workerPid: workerPid(), print, createSingly });
}

/** The process that is API and worker in one. */
function workerPid(): number {
  return findProcesses(
    (line) => line.includes('api-with-worker.ts ') && line.includes(` --data-folder=${folder} `),
  )[0] as number;
}

async function benchPopulation(): Promise<void> {
  const bench: PopulationBench = { ...up, token, operator: operator?.url as string, workerPid: workerPid(), print };
  await openThrottle(up.database);
  print(
    '\nlook up supply points at a network operator that answers at once (goal: 0.5 of a bare loop with the same call and row)',
  );
  await lookUpByService(bench, 1_000);
  const rates: { service: number[]; bare: number[] } = { service: [], bare: [] };
  const isCompared = POINTS <= POINTS_COMPARED_MAX;
  for (let round = 0; round < (isCompared ? ROUNDS : 1); round += 1) {
    rates.service.push(await lookUpByService(bench, POINTS));
    if (isCompared) rates.bare.push(await lookUpBare(bench, POINTS));
  }
  print(
    `  gangway ${median(rates.service).toFixed(0)}/s${isCompared ? `; bare loop ${median(rates.bare).toFixed(0)}/s   ours is ${(median(rates.service) / median(rates.bare)).toFixed(2)} of it` : ''}`,
  );
  print(`  longest history of a run: ${await longestHistory(bench)} events`);
}

/** One round of each contender in turn, ROUNDS times; prints a table with ratios to ours. */
async function compare(
  title: string,
  contenders: { name: string; run: (round: number) => Promise<Load> }[],
): Promise<void> {
  const results = new Map<string, Load[]>(contenders.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, run } of contenders) results.get(name)?.push(await run(round));
  }
  const rate = (name: string) => median((results.get(name) ?? []).map(({ perSecond }) => perSecond));
  print(`\n${title}`);
  const ours = rate(contenders[0]?.name ?? '');
  for (const { name } of contenders) {
    const runs = results.get(name) ?? [];
    const faults = runs.reduce((sum, { failed, non2xx }) => sum + failed + non2xx, 0);
    print(
      `  ${name.padEnd(46)} ${rate(name).toFixed(0).padStart(7)}/s   p50 ${median(runs.map(({ p50 }) => p50))
        .toFixed(1)
        .padStart(7)} ms   p99 ${median(runs.map(({ p99 }) => p99))
        .toFixed(1)
        .padStart(7)} ms` +
        `${name === contenders[0]?.name ? '' : `   ours is ${(ours / rate(name)).toFixed(2)} of it`}${faults === 0 ? '' : `   ${faults} FAILED`}`,
    );
  }
}

async function benchValidate(): Promise<void> {
  const servers = await startServers([
    ['bare.ts', 'ajv'],
    ['bare.ts', 'checks'],
  ]);
  const path = `${DATA_IMPORT}/validate-account/`;
  const run = (url: string) => () =>
    load({ url: url + path, bodyFile, token, connections: CONNECTIONS, seconds: SECONDS });
  await warmUp([up.http, ...servers.map(({ url }) => url)].map((url) => ({ url: url + path, bodyFile })));
  await compare('validate a 4 KB account (goals: 0.55 of bare, 0.9 of bare with the same checks)', [
    { name: 'gangway', run: run(up.http) },
    { name: 'Koa + koa-bodyparser + router + Ajv', run: run(servers[0]?.url as string) },
    { name: '  the same + phones, dropping, log, token', run: run(servers[1]?.url as string) },
  ]);
  for (const server of servers) await server.stop();
}

async function benchStage(): Promise<void> {
  const servers = await startServers([['bare.ts', 'stage']]);
  const path = `${DATA_IMPORT}/account-import-process/create-or-update/`;
  const run = (url: string) => (round: number) =>
    load({
      url: url + path,
      bodyFile,
      token,
      connections: CONNECTIONS,
      seconds: SECONDS,
      first: 50_000_000 + round * 100_000,
    });
  await warmUp([up.http, ...servers.map(({ url }) => url)].map((url) => ({ url: url + path, bodyFile })));
  await compare('stage a 4 KB account, each request another one (goal: 0.8)', [
    { name: 'gangway', run: run(up.http) },
    { name: 'Koa + Ajv + same checks + one prepared upsert', run: run(servers[0]?.url as string) },
  ]);
  for (const server of servers) await server.stop();
}

async function benchCreate(): Promise<void> {
  const path = `${DATA_IMPORT}/account-import-process/process/`;
  await fill(2_000);
  const run =
    (url: string, connections = CONNECTIONS) =>
    async () => {
      const room = connections === 1 ? 100 * SECONDS : 2_000 * SECONDS;
      const first = await fill(room);
      return load({ url: url + path, bodyFile: processFile, token, connections, seconds: SECONDS, first: first - 1 });
    };
  // First, while it is quiet: the databases clean up for minutes after a load, and the engines ask for jobs as long as they run.
  for (let warmUp = 0; warmUp < 2; warmUp += 1) await run(up.http, 1)();
  await compare('create, alone: one connection (goal: p50 under 40 ms)', [{ name: 'gangway', run: run(up.http, 1) }]);
  const servers = await startServers([
    ['engines.ts', 'autocommits'],
    ['engines.ts', 'pg-boss'],
    ['engines.ts', 'graphile-worker'],
  ]);
  for (const url of [up.http, ...servers.map((server) => server.url)]) {
    const first = await fill(2_000);
    await load({
      url: url + path,
      bodyFile: processFile,
      token,
      connections: CONNECTIONS,
      seconds: 1,
      first: first - 1,
    });
  }
  await compare(
    'create a staged 4 KB account with all its rows, one request each (goals: 0.3 of the floor, ahead of the engines)',
    [
      {
        name: 'gangway',
        run: async () => {
          const mark = await usage(up);
          const result = await run(up.http)();
          print(await describeUsage(up, mark));
          return result;
        },
      },
      { name: 'floor: the same SQL, three autocommits', run: run(servers[0]?.url as string) },
      { name: 'pg-boss, the same effect', run: run(servers[1]?.url as string) },
      { name: 'graphile-worker, the same effect', run: run(servers[2]?.url as string) },
    ],
  );
  for (const server of servers) await server.stop();
}

/** Each request brings 100 items to another account, so that all of them are new; both contenders write into the same tables. */
async function benchAttach(): Promise<void> {
  const [bare] = await startServers([['bare-attach.ts', 'attach']]);
  for (const kind of ['notes', 'transactions'] as const) {
    const path = `${DATA_IMPORT}/${kind}/create/`;
    const file = join(folder, `${kind}.json`);
    await writeFile(file, JSON.stringify(benchAttachments(kind)));
    const run = (url: string) => async () => {
      const first = nextNumber;
      nextNumber += 1_000 * SECONDS;
      await insertAccounts(up.database, first, 1_000 * SECONDS);
      return load({
        url: url + path,
        bodyFile: file,
        token,
        connections: CONNECTIONS,
        seconds: SECONDS,
        first: first - 1,
      });
    };
    for (const url of [up.http, bare?.url as string]) await run(url)();
    await compare(`100 ${kind} a request, each to another account (goal: 0.7)`, [
      { name: 'gangway', run: run(up.http) },
      { name: 'Koa + koa-bodyparser + one prepared unnest', run: run(bare?.url as string) },
    ]);
  }
  await bare?.stop();
}

/** Stages accounts to be created; returns the first number. */
async function fill(count: number): Promise<number> {
  const first = nextNumber;
  await stageMany(up.database, first, count);
  nextNumber += count;
  return first;
}

async function benchList(): Promise<void> {
  await withClient(up.database, async (client) => {
    await client.query(`insert into import_supplier (code, name, status) values ('LISTED', 'Listed', 'Ongoing')`);
    await client.query(
      `insert into api_key_import_supplier (api_key_id, import_supplier) select id, 'LISTED' from api_key where name = 'bench'`,
    );
    await client.query(
      `insert into import_process (id, import_supplier, external_account_number, payload, phone_numbers, payload_hash, validated_with)
      select gen_random_uuid(), 'LISTED', 'LIST-' || lpad(n::text, 8, '0'), '{}', '[]', 'x', 'x' from generate_series(1, $1::integer) n`,
      [LISTED],
    );
  });
  await new Promise((resolve) => {
    setTimeout(resolve, 1_500);
  });
  const [pid] = platformPids(up.pid).pids['gangway'] ?? [];
  const before = residentMb(pid as number);
  const runs: { firstByteMs: number; totalMs: number; bytes: number }[] = [];
  for (let round = 0; round < 5; round += 1) runs.push(await fetchList());
  print(`\nlist ${LISTED} import processes (goal: first byte under 50 ms, memory flat)`);
  print(
    `  first byte ${median(runs.map(({ firstByteMs }) => firstByteMs)).toFixed(1)} ms, whole list ${median(runs.map(({ totalMs }) => totalMs)).toFixed(0)} ms, ${runs[0]?.bytes} bytes; resident memory ${before} MB before, ${residentMb(pid as number)} MB after 5 lists`,
  );
}

function fetchList(): Promise<{ firstByteMs: number; totalMs: number; bytes: number }> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    request(
      `${up.http}${DATA_IMPORT}/all-account-import-processes/LISTED/`,
      { headers: { authorization: `Token ${token}` } },
      (response) => {
        let firstByteMs = 0;
        let bytes = 0;
        response.on('data', (chunk: Buffer) => {
          firstByteMs ||= performance.now() - started;
          bytes += chunk.length;
        });
        response.on('end', () => resolve({ firstByteMs, totalMs: performance.now() - started, bytes }));
      },
    )
      .on('error', reject)
      .end();
  });
}

async function benchStart(): Promise<void> {
  await stopChild(child);
  const again = await startUp(folder, operator?.settings);
  ({ up, child } = again);
  print(`\nsecond start of up: ready after ${again.seconds.toFixed(1)} s`);
  const { pids } = platformPids(up.pid);
  print(
    `  resident memory: up ${residentMb(up.pid)} MB, ${Object.entries(pids)
      .map(([name, list]) => `${name} ${list.map((pid) => residentMb(pid)).reduce((a, b) => a + b, 0)} MB`)
      .join(', ')} (postgres counts shared pages once per process)`,
  );
}

async function startServers(wantedServers: [string, string][]): Promise<BenchServer[]> {
  const servers: BenchServer[] = [];
  for (const [file, variant] of wantedServers) {
    servers.push(await startBenchServer(file, variant, await reservePort(), await ownersUrl(folder, up.database)));
  }
  return servers;
}

async function warmUp(targets: { url: string; bodyFile: string }[]): Promise<void> {
  for (const target of targets) {
    await load({
      ...target,
      token,
      connections: CONNECTIONS,
      seconds: WARM_UP_SECONDS,
      ...(target.url.includes('create-or-update') ? { first: 40_000_000 } : {}),
    });
  }
}
