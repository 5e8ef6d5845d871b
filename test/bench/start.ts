import { load } from './load.ts';
import { mainThreadSeconds, median, residentMb } from './measure.ts';
import type { UpFile } from './platform.ts';
import type { Measured } from './results.ts';
import { platformPids } from './usage.ts';

/*
 * `npm run bench -- start`: the rate of a process in each second after its start, and the cost of a request on its
 * main thread. Each round restarts `up` on the same data, once for each kind of request.
 */
const SECONDS = 30;
/** The goal: nearly the final speed from this second on. */
const FULL_SPEED_FROM = 5;
const STEADY_FROM = 20;
const GOAL = 0.9;
const CONNECTIONS = 32;
/** More than are staged in a second, so that each request uses another account. */
const STAGED_A_SECOND_MAX = 20_000;
const STAGED_FROM = 80_000_000;

export interface StartBench {
  /** Ends `up` and starts it again. */
  restart(): Promise<{ up: UpFile; seconds: number }>;
  /** The process that answers now. */
  pid(): number;
  token: string;
  bodyFile: string;
  rounds: number;
  print(line?: string): void;
}

/** One second of load. */
interface Second {
  perSecond: number;
  microseconds: number;
  refused: number;
}

/** Starts repeatedly, prints rates by second; returns the results to store. */
export async function benchStarts(bench: StartBench): Promise<Measured[]> {
  const found: Measured[] = [];
  let staged = STAGED_FROM;
  const kinds = {
    validate: { path: 'validate-account/' },
    stage: { path: 'account-import-process/create-or-update/', first: () => (staged += STAGED_A_SECOND_MAX) },
  };
  const readyAfter: number[] = [];
  for (const [kind, { path, ...numbers }] of Object.entries(kinds)) {
    const rounds: Second[][] = [];
    for (let round = 0; round < bench.rounds; round += 1) {
      const { up, seconds } = await bench.restart();
      if (readyAfter.push(seconds) === 1) describeMemory(bench, up, seconds);
      rounds.push(await secondsOf(bench, `${up.http}/v1/data-import/${path}`, numbers));
    }
    const bySecond = rounds[0]!.map((_, second) => rounds.map((round) => round[second]!));
    describeSeconds(bench, kind, bySecond);
    found.push(...bySecond.map((round, second) => measuredOf(kind, second + 1, round)));
  }
  bench.print(`\n  starts of up: ready after ${readyAfter.map((seconds) => seconds.toFixed(1)).join(', ')} s`);
  return found;
}

function describeMemory({ print }: StartBench, up: UpFile, seconds: number): void {
  print(`\nsecond start of up: ready after ${seconds.toFixed(1)} s`);
  const of = Object.entries(platformPids(up.pid).pids).map(
    ([name, list]) => `${name} ${list.map((pid) => residentMb(pid)).reduce((a, b) => a + b, 0)} MB`,
  );
  print(
    `  resident memory: up ${residentMb(up.pid)} MB, ${of.join(', ')} (postgres counts shared pages once per process)`,
  );
}

async function secondsOf(bench: StartBench, url: string, { first }: { first?: () => number }): Promise<Second[]> {
  const { token, bodyFile } = bench;
  const pid = bench.pid();
  const found: Second[] = [];
  for (let second = 0; second < SECONDS; second += 1) {
    const before = mainThreadSeconds(pid);
    const numbers = first === undefined ? {} : { first: first() };
    const done = await load({ url, bodyFile, token, connections: CONNECTIONS, seconds: 1, ...numbers });
    found.push({
      perSecond: done.perSecond,
      microseconds: ((mainThreadSeconds(pid) - before) * 1e6) / done.requests,
      refused: done.failed + done.non2xx,
    });
  }
  return found;
}

function describeSeconds({ print }: StartBench, kind: string, bySecond: readonly Second[][]): void {
  const rates = bySecond.map((round) => median(round.map(({ perSecond }) => perSecond)));
  const costs = bySecond.map((round) => median(round.map(({ microseconds }) => microseconds)));
  const steady = median(rates.slice(STEADY_FROM));
  const reached = rates.findIndex((rate) => rate >= GOAL * steady) + 1;
  const since = rates.findLastIndex((rate) => rate < GOAL * steady) + 2;
  const refused = bySecond.flat().reduce((sum, second) => sum + second.refused, 0);
  const formatted = (figures: readonly number[]) => figures.map((figure) => figure.toFixed(0)).join(' ');
  print(
    `\n${kind}, second by second after a start, medians of ${bySecond[0]?.length} starts${refused ? `; ${refused} REJECTED` : ''}`,
  );
  print(`  a second                 ${formatted(rates)}`);
  print(`  us of the main thread    ${formatted(costs)}`);
  print(
    `  from second ${STEADY_FROM + 1} on ${steady.toFixed(0)}/s and ${median(costs.slice(STEADY_FROM)).toFixed(0)} us; ${GOAL} of it reached in second ${reached} (goal: ${FULL_SPEED_FROM}), never below it from second ${since} on`,
  );
}

function measuredOf(kind: string, second: number, rounds: readonly Second[]): Measured {
  return {
    what: `${kind} after a start`,
    contender: `second ${second}`,
    perSecond: rounds.map(({ perSecond }) => perSecond),
    microseconds: { 'main thread': rounds.map(({ microseconds }) => microseconds) },
    refused: rounds.reduce((sum, { refused }) => sum + refused, 0),
  };
}
