import { setTimeout as sleep } from 'node:timers/promises';
import { load, type Load } from './load.ts';
import { median, processorSeconds } from './measure.ts';
import { platformPids } from './usage.ts';
import type { UpFile } from './platform.ts';
import type { Measured } from './results.ts';
import { withClient } from './stage-set.ts';
import { watchOthers, type Disturbance } from './machine.ts';

/*
 * Single creations by number of concurrent callers: `npm run bench -- create-connections`. The smallest numbers come
 * first: databases clean up for a while after a load.
 */
const CONNECTIONS = [1, 4, 8, 16, 32, 64, 128, 256];
/** More than one connection, or all together, create in a second. */
const ONE_A_SECOND_MAX = 80;
const ALL_A_SECOND_MAX = 2_000;
const WARM_UP_SECONDS = 4;
/** The last requests of a round are not awaited; they complete after it. */
const LAST_ONES_MS = 500;

export interface CreationsBench {
  up: UpFile;
  token: string;
  bodyFile: string;
  seconds: number;
  rounds: number;
  print(line?: string): void;
  /** Stages accounts until enough are ready; returns the number of the first. */
  fill(count: number): Promise<number>;
  /** Reserves this number of accounts from that number on. */
  used(first: number, count: number): void;
}

/** One round at one number of connections. */
interface Round extends Load {
  accountsPerRun: number;
  microseconds: Record<string, number>;
  disturbance: Disturbance;
}

/** Prints a row for each number of connections; returns the results to store. */
export async function benchCreations(bench: CreationsBench): Promise<Measured[]> {
  const rounds = new Map<number, Round[]>(CONNECTIONS.map((connections) => [connections, []]));
  for (const connections of [1, 32, 256]) await oneRound(bench, connections, WARM_UP_SECONDS);
  for (let round = 0; round < bench.rounds; round += 1) {
    for (const connections of CONNECTIONS) {
      rounds.get(connections)?.push(await oneRound(bench, connections, bench.seconds));
    }
  }
  bench.print('\ncreate staged 4 KB accounts, by connections (processor: us per account, the lowest of the rounds)');
  bench.print(
    `  ${['', 'rate', 'p50', 'p99', 'a run', 'gangway', 'temporal', 'postgres', 'others'].map((title) => title.padStart(9)).join('')}`,
  );
  for (const [connections, of] of rounds) bench.print(describeRounds(connections, of));
  return [...rounds].map(([connections, of]) => measuredOf(connections, of));
}

async function oneRound(bench: CreationsBench, connections: number, seconds: number): Promise<Round> {
  const { up, token, bodyFile } = bench;
  const count = Math.min(connections * ONE_A_SECOND_MAX, ALL_A_SECOND_MAX) * seconds;
  const first = await bench.fill(count);
  const used = () =>
    Object.entries(platformPids(up.pid).pids).map(([process, list]) => [process, processorSeconds(list)] as const);
  await sleep(LAST_ONES_MS);
  const last = await withClient(
    up.database,
    async (client) => (await client.query(LAST_ACCOUNT)).rows[0]?.id as string,
  );
  const before = used();
  const disturbance = watchOthers();
  const done = await load({
    url: `${up.http}/v1/data-import/account-import-process/process/`,
    bodyFile,
    token,
    connections,
    seconds,
    first: first - 1,
  });
  const others = disturbance();
  const after = new Map(used());
  // The last requests may still be in progress.
  bench.used(first, done.requests + 2 * connections);
  const perAccount = (began: number, process: string) =>
    (((after.get(process) ?? began) - began) * 1e6) / done.requests;
  const runs = await withClient(up.database, async (client) => (await client.query(RUNS_SINCE, [last])).rows[0]);
  return {
    ...done,
    accountsPerRun: Number(runs.accounts) / Math.max(1, Number(runs.runs)),
    microseconds: Object.fromEntries(before.map(([process, began]) => [process, perAccount(began, process)])),
    disturbance: others,
  };
}

/** Account ids are ordered by time. */
const LAST_ACCOUNT = 'select id from account order by id desc limit 1';
/** Each run is one transaction. */
const RUNS_SINCE = `select count(*) as accounts, count(distinct xmin::text) as runs from account where $1::uuid is null or id > $1`;

function describeRounds(connections: number, rounds: readonly Round[]): string {
  const middle = (pick: (round: Round) => number) => median(rounds.map(pick));
  const least = (process: string) =>
    Math.min(...rounds.map(({ microseconds }) => microseconds[process] ?? 0)).toFixed(0);
  const refused = rounds.reduce((sum, { failed, non2xx }) => sum + failed + non2xx, 0);
  const cells = [
    String(connections),
    `${middle(({ perSecond }) => perSecond).toFixed(0)}/s`,
    middle(({ p50 }) => p50).toFixed(0),
    middle(({ p99 }) => p99).toFixed(0),
    middle(({ accountsPerRun }) => accountsPerRun).toFixed(1),
    least('gangway'),
    least('temporal'),
    least('postgres'),
    `${middle(({ disturbance }) => disturbance.others).toFixed(0)} %`,
  ];
  return `  ${cells.map((cell) => cell.padStart(9)).join('')}${refused === 0 ? '' : `   ${refused} REJECTED`}`;
}

function measuredOf(connections: number, rounds: readonly Round[]): Measured {
  const processes = Object.keys(rounds[0]?.microseconds ?? {});
  return {
    what: 'create by connections',
    contender: String(connections),
    perSecond: rounds.map(({ perSecond }) => perSecond),
    p50: rounds.map(({ p50 }) => p50),
    p99: rounds.map(({ p99 }) => p99),
    microseconds: Object.fromEntries(
      processes.map((process) => [process, rounds.map(({ microseconds }) => microseconds[process] ?? 0)]),
    ),
    refused: rounds.reduce((sum, { failed, non2xx }) => sum + failed + non2xx, 0),
    disturbances: rounds.map(({ disturbance }) => disturbance),
  };
}
