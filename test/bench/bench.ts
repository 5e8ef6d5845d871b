import { chmod, mkdtemp, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProcesses } from '../../src/local-stack/running-process.ts';
import { readWanted, runsByItself } from './bench-arguments.ts';
import { reservePort } from '../support/test-port.ts';
import { benchAuditVerify } from './audit-verify.ts';
import { benchBigTables } from './big-tables.ts';
import { benchCluster } from './cluster.ts';
import { benchFaults } from './faults.ts';
import { benchBulkActions } from './bulk-actions.ts';
import { benchHostile } from './hostile.ts';
import { benchManifestsOfJobs } from './job-manifests.ts';
import { benchJobs } from './jobs.ts';
import { benchWaves } from './waves.ts';
import { benchCosts } from './costs.ts';
import { benchCreations } from './creations.ts';
import { contest, describeContest, type Contender } from './contenders.ts';
import { load, type Load } from './load.ts';
import { median, residentMb, startBenchServer, stopChild, type BenchServer } from './measure.ts';
import { benchManifest } from './manifest.ts';
import { benchPages } from './pages.ts';
import { benchProcesses } from './processes.ts';
import { ownersUrl, startOperator, startUp } from './platform.ts';
import { longestHistory, lookupBare, lookupByService, openThrottle, type PopulationBench } from './population.ts';
import { benchReconciliation } from './reconciliation.ts';
import { benchAccount, benchAttachments, insertAccounts, seed, stageMany, withClient } from './stage-set.ts';
import { startOurs } from './stack.ts';
import { benchSwitches } from './switches.ts';
import { benchStarts } from './start.ts';
import { compareFiles, storeResults, type Measured } from './results.ts';
import { describeSurroundings } from './machine.ts';
import { benchThrottle } from './throttle.ts';
import { benchWithdrawal } from './withdrawal.ts';
import { benchTransactions } from './transactions.ts';
import { describeUsage, platformPids, usage } from './usage.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';

/*
 * Each contender is warmed up until three windows agree. Rounds are short and interleaved, so that a noisy moment
 * affects all contenders alike. Prints the medians of the rounds and of the ratios in each round. Only `hostile`
 * fails on a figure, and `faults` on a lost or duplicated account.
 */
const SECONDS = Number(process.env['BENCH_SECONDS'] ?? 2);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 9);
/** Rounds of slow measurements: lookups, starts. */
const LONG_ROUNDS = 3;
const BESIDE_SECONDS = 5;
const CONNECTIONS = 32;
/** More than any contender stages. */
const STAGED_A_SECOND_MAX = 20_000;
/**
 * More requests than any contender of notes and transactions answers: without enough accounts requests would fail
 * fast.
 */
const ATTACHED_A_SECOND_MAX = 4_000;
const LISTED = 100_000;
const POINTS = Number(process.env['BENCH_POINTS'] ?? 20_000);
/** Above this number of lines only the service is measured, without the bare loop. */
const POINTS_COMPARED_MAX = 100_000;
const DATA_IMPORT = '/v1/data-import';
const { compared, names: wanted } = readWanted();
const isWanted = (name: string) => wanted.length === 0 || wanted.includes(name);
const print = (line = '') => process.stdout.write(`${line}\n`);

if (compared !== undefined) {
  print(compareFiles(...compared));
  process.exit();
}
// Attacks need their own processes and nothing of the platform below.
if (wanted.includes('hostile') && !(await benchHostile(print))) process.exitCode = 1;
// Needs no service.
if (wanted.includes('manifest')) await benchManifest(print);
// Uses another, large database.
if (wanted.includes('pages')) await benchPages(print);
if (wanted.includes('big-tables')) await benchBigTables(print);
// Measures one speed after the other, beside nothing else.
if (wanted.includes('throttle')) await benchThrottle(print);
// API and worker as separate processes, on a Postgres with more statistics.
if (wanted.includes('costs')) await benchCosts(print);
if (wanted.includes('switches')) await benchSwitches(print);
if (wanted.includes('processes')) await benchProcesses(print);
if (wanted.includes('cluster')) await benchCluster(print);
if (wanted.includes('faults') && !(await benchFaults(print))) process.exitCode = 1;
if (wanted.length > 0 && wanted.every(runsByItself)) process.exit();

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
/** The next unused account, and the last staged one. */
let nextNumber = 1;
let stagedUpTo = 0;
const measured: Measured[] = [];
const surroundings = await describeSurroundings(up.database);
print(`${surroundings.machine}\n${surroundings.versions}\ncommit ${surroundings.commit}`);
try {
  if (isWanted('validate')) await benchValidate();
  if (isWanted('stage')) await benchStage();
  if (isWanted('create')) await benchCreate();
  if (isWanted('create-connections')) await benchCreationsByConnections();
  if (isWanted('attach')) await benchAttach();
  if (isWanted('populate')) await benchPopulation();
  if (isWanted('jobs')) await benchImportJobs();
  if (isWanted('waves')) await benchWaves({ http: up.http, token, print });
  if (isWanted('reconcile')) await benchReconciling();
  if (isWanted('withdraw')) await benchWithdrawing();
  if (isWanted('bulk-actions')) await benchBulk();
  if (isWanted('audit-verify')) {
    await benchAuditVerify({ http: up.http, database: await ownersUrl(folder, up.database), print });
  }

  if (isWanted('list')) await benchList();
  if (isWanted('transactions')) await benchTransactions(up.database, print);
  if (isWanted('start')) await benchStart();
  if (measured.length > 0) print(`\nstored as ${storeResults({ ...surroundings, measured })}`);
} finally {
  await stopChild(child);
  if (operator) await stopChild(operator.child);
  await removeDataFolder(folder);
}

/** Single creations, four concurrently. */
async function createSingly(): Promise<Load> {
  // Jobs create everything that is staged, so they use accounts of their own.
  nextNumber = stagedUpTo + 1;
  const first = await fill(500 * BESIDE_SECONDS);
  const url = `${up.http}${DATA_IMPORT}/account-import-process/process/`;
  return load({ url, bodyFile: processFile, token, connections: 4, seconds: BESIDE_SECONDS, first: first - 1 });
}

async function benchImportJobs(): Promise<void> {
  if (process.env['BENCH_MANIFEST'] !== undefined) return benchManifestsOfJobs({ http: up.http, token, print });
  await benchJobs({ http: up.http, database: await ownersUrl(folder, up.database), token, print, createSingly });
}

async function benchReconciling(): Promise<void> {
  const database = await ownersUrl(folder, up.database);
  await benchReconciliation({ http: up.http, database, token, workerPid: workerPid(), print, createSingly });
}

async function benchWithdrawing(): Promise<void> {
  await benchWithdrawal({ http: up.http, database: await ownersUrl(folder, up.database), print });
}

async function benchBulk(): Promise<void> {
  await benchBulkActions({ http: up.http, database: await ownersUrl(folder, up.database), print, createSingly });
}

/** The process that runs both API and worker. */
function workerPid(): number {
  return findProcesses(
    (line) => line.includes('api-with-worker.ts ') && line.includes(` --data-folder=${folder} `),
  )[0] as number;
}

async function benchPopulation(): Promise<void> {
  const bench: PopulationBench = {
    ...up,
    database: await ownersUrl(folder, up.database),
    ...{ token, operator: operator?.url as string, workerPid: workerPid(), print },
  };
  await openThrottle(up.database);
  print(
    '\nlook up supply points at a network operator that answers immediately (goal: 0.5 of a bare loop with the same call and row)',
  );
  await lookupByService(bench, 1_000);
  const rates: { service: number[]; bare: number[] } = { service: [], bare: [] };
  const isCompared = POINTS <= POINTS_COMPARED_MAX;
  for (let round = 0; round < (isCompared ? LONG_ROUNDS : 1); round += 1) {
    rates.service.push(await lookupByService(bench, POINTS));
    if (isCompared) rates.bare.push(await lookupBare(bench, POINTS));
  }
  print(
    `  gangway ${median(rates.service).toFixed(0)}/s${isCompared ? `; bare loop ${median(rates.bare).toFixed(0)}/s   gangway reaches ${(median(rates.service) / median(rates.bare)).toFixed(2)} of it` : ''}`,
  );
  print(`  longest history of a run: ${await longestHistory(bench)} events`);
}

/** Measures contenders against each other, prints a table with ratios to the first, and stores it. */
async function compare(what: string, title: string, contenders: readonly Contender[]): Promise<void> {
  const found = await contest(what, contenders, { seconds: SECONDS, rounds: ROUNDS });
  print(`\n${describeContest(title, found)}`);
  measured.push(...found);
}

/** gangway among the contenders. */
function gangway(run: Contender['run']): Contender {
  return { name: 'gangway', run, pids: () => platformPids(up.pid).pids };
}

/** A contender that gangway is compared with. */
function beside(name: string, server: BenchServer, run: Contender['run']): Contender {
  return { name, run, pids: () => ({ server: server.pids, postgres: platformPids(up.pid).pids['postgres'] ?? [] }) };
}

async function benchValidate(): Promise<void> {
  const [ajv, checks] = await startServers(['bare.ts', 'ajv'], ['bare.ts', 'checks']);
  const addresses = { DATABASE_URL: up.database, TEMPORAL_ADDRESS: up.temporal };
  const api = await startOurs('api', { ...process.env, ...addresses, NODE_ENV: 'production' });
  const path = `${DATA_IMPORT}/validate-account/`;
  const run = (url: string) => (seconds: number) =>
    load({ url: url + path, bodyFile, token, connections: CONNECTIONS, seconds });
  await compare('validate', 'validate a 4 KB account (goals: 0.8 of bare, 1.0 of bare with the same checks)', [
    gangway(run(up.http)),
    { name: '  the API as a process of its own', run: run(api.url), pids: () => ({ api: [api.running.pid] }) },
    beside('Koa + koa-bodyparser + router + Ajv', ajv!, run(ajv!.url)),
    beside('  the same + phone checks, dropped members, log, token', checks!, run(checks!.url)),
  ]);
  for (const server of [ajv!, checks!, api.running]) await server.stop();
}

async function benchStage(): Promise<void> {
  const [bare] = await startServers(['bare.ts', 'stage']);
  const path = `${DATA_IMPORT}/account-import-process/create-or-update/`;
  const run = (url: string) => {
    let first = 50_000_000;
    return (seconds: number) => {
      first += STAGED_A_SECOND_MAX * seconds;
      return load({ url: url + path, bodyFile, token, connections: CONNECTIONS, seconds, first });
    };
  };
  await compare('stage', 'stage a 4 KB account, a new one in each request (goal: 0.9)', [
    gangway(run(up.http)),
    beside('Koa + Ajv + same checks + one prepared upsert', bare!, run(bare!.url)),
  ]);
  await bare!.stop();
}

async function benchCreate(): Promise<void> {
  const path = `${DATA_IMPORT}/account-import-process/process/`;
  await fill(2_000);
  const run =
    (url: string, connections = CONNECTIONS) =>
    async (seconds: number) => {
      const first = await fill((connections === 1 ? 100 : 2_000) * seconds);
      const done = await load({
        url: url + path,
        bodyFile: processFile,
        token,
        connections,
        seconds,
        first: first - 1,
      });
      // The next measurements need the accounts that are still staged; the last requests may still be in progress.
      nextNumber = first + done.requests + 2 * connections;
      return done;
    };
  // Measured first, on a quiet machine: the databases clean up for minutes after a load, and the engines poll for
  // jobs while they run.
  await compare('create alone', 'create, alone: one connection (goal: p50 of 25 ms)', [gangway(run(up.http, 1))]);
  const servers = await startServers(
    ['engines.ts', 'autocommits'],
    ['engines.ts', 'pg-boss'],
    ['engines.ts', 'graphile-worker'],
  );
  const names = [
    'floor: the same SQL, three autocommits',
    'pg-boss, the same effect',
    'graphile-worker, the same effect',
  ];
  const runGangway: Contender['run'] = async (seconds, isCounted) => {
    const mark = await usage(up);
    const result = await run(up.http)(seconds);
    if (isCounted) print(await describeUsage(up, mark));
    return result;
  };
  await compare(
    'create',
    'create a staged 4 KB account with all its rows, one request each (goals: 450 a second, p50 of 70 ms, ahead of the engines)',
    [gangway(runGangway), ...servers.map((server, index) => beside(names[index]!, server, run(server.url)))],
  );
  for (const server of servers) await server.stop();
}

/** Creations by the number of concurrent callers. */
async function benchCreationsByConnections(): Promise<void> {
  const used = (first: number, count: number) => {
    nextNumber = first + count;
  };
  const bench = { up, token, bodyFile: processFile, seconds: SECONDS, rounds: ROUNDS, print, fill, used };
  measured.push(...(await benchCreations(bench)));
}

/** Each request adds 100 new items to another account; both contenders write to the same tables. */
async function benchAttach(): Promise<void> {
  const [bare] = await startServers(['bare-attach.ts', 'attach']);
  for (const kind of ['notes', 'transactions'] as const) {
    const path = `${DATA_IMPORT}/${kind}/create/`;
    const file = join(folder, `${kind}.json`);
    await writeFile(file, JSON.stringify(benchAttachments(kind)));
    const run = (url: string) => async (seconds: number) => {
      // Numbers above those of accounts that were staged and not created.
      const first = Math.max(nextNumber, stagedUpTo + 1);
      nextNumber = stagedUpTo = first + ATTACHED_A_SECOND_MAX * seconds;
      await insertAccounts(up.database, first, ATTACHED_A_SECOND_MAX * seconds);
      return load({ url: url + path, bodyFile: file, token, connections: CONNECTIONS, seconds, first: first - 1 });
    };
    await compare(kind, `100 ${kind} a request, each to another account (goal: 0.7)`, [
      gangway(run(up.http)),
      beside('Koa + koa-bodyparser + one prepared unnest', bare!, run(bare!.url)),
    ]);
  }
  await bare?.stop();
}

/** Stages accounts until `count` are ready to be created; returns the number of the first. */
async function fill(count: number): Promise<number> {
  const last = nextNumber + count - 1;
  if (last > stagedUpTo) {
    const from = Math.max(stagedUpTo, nextNumber - 1) + 1;
    await stageMany(up.database, from, last - from + 1);
    stagedUpTo = last;
  }
  return nextNumber;
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
    `  first byte ${median(runs.map(({ firstByteMs }) => firstByteMs)).toFixed(1)} ms, complete list ${median(runs.map(({ totalMs }) => totalMs)).toFixed(0)} ms, ${runs[0]?.bytes} bytes; resident memory ${before} MB before, ${residentMb(pid as number)} MB after 5 lists`,
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
  const restart = async () => {
    await stopChild(child);
    const again = await startUp(folder, operator?.settings);
    ({ up, child } = again);
    return again;
  };
  measured.push(...(await benchStarts({ restart, pid: workerPid, token, bodyFile, rounds: LONG_ROUNDS, print })));
}

async function startServers(...wantedServers: [string, string][]): Promise<BenchServer[]> {
  const servers: BenchServer[] = [];
  for (const [file, variant] of wantedServers) {
    servers.push(await startBenchServer(file, variant, await reservePort(), await ownersUrl(folder, up.database)));
  }
  return servers;
}
