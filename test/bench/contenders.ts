import type { Load } from './load.ts';
import { median, processorSeconds } from './measure.ts';
import type { Measured } from './results.ts';
import { watchOthers, type Disturbance } from './machine.ts';

/** A contender: measured in the same rounds as the others. */
export interface Contender {
  name: string;
  run(seconds: number, isCounted: boolean): Promise<Load>;
  /** The processes that work for it, by name. */
  pids?: () => Record<string, number[]>;
}

/** Length and number of rounds. */
export interface Pace {
  seconds: number;
  rounds: number;
}

/** Windows that must agree before a contender counts as warm, the tolerance, and how long to try. */
const AGREEING_WINDOWS = 3;
const AGREEMENT = 0.05;
const WINDOW_SECONDS = 2;
const WARM_SECONDS_MAX = 30;

/** Whether the last windows agree: the compiler has settled, and no other process disturbed the measurement. */
export function isSteady(rates: readonly number[]): boolean {
  const last = rates.slice(-AGREEING_WINDOWS);
  return last.length === AGREEING_WINDOWS && Math.max(...last) - Math.min(...last) <= AGREEMENT * median(last);
}

/**
 * Loads until the rate is steady, or until the time is over.
 * @param run loads for the given seconds; it may take longer
 * @param processes that share the load: each needs its time
 * @returns the rate of each window
 */
export async function warmUp(
  run: (seconds: number) => Promise<{ perSecond: number }>,
  processes = 1,
): Promise<number[]> {
  const rates: number[] = [];
  const until = performance.now() + processes * WARM_SECONDS_MAX * 1_000;
  while (performance.now() < until && !isSteady(rates)) rates.push((await run(WINDOW_SECONDS)).perSecond);
  return rates;
}

interface Rounds {
  loads: Load[];
  microseconds: Record<string, number[]>;
  disturbances: Disturbance[];
}

/**
 * Warms up each contender, then runs the rounds of all contenders interleaved, so that a noisy moment affects all
 * alike.
 */
export async function contest(
  what: string,
  contenders: readonly Contender[],
  { seconds, rounds }: Pace,
): Promise<Measured[]> {
  const steady = new Map<string, boolean>();
  for (const { name, run } of contenders) {
    steady.set(name, isSteady(await warmUp((windowSeconds) => run(windowSeconds, false))));
  }
  const results = new Map<string, Rounds>(
    contenders.map(({ name }) => [name, { loads: [], microseconds: {}, disturbances: [] }]),
  );
  for (let round = 0; round < rounds; round += 1) {
    // The order alternates: otherwise each contender would always follow the same one.
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed()) {
      await measure(contender, seconds, results.get(contender.name)!);
    }
  }
  return contenders.map(({ name }) => {
    const { loads, microseconds, disturbances } = results.get(name)!;
    return {
      what,
      contender: name,
      perSecond: loads.map(({ perSecond }) => perSecond),
      p50: loads.map(({ p50 }) => p50),
      p99: loads.map(({ p99 }) => p99),
      microseconds,
      refused: loads.reduce((sum, { failed, non2xx }) => sum + failed + non2xx, 0),
      isSteady: steady.get(name)!,
      disturbances,
    };
  });
}

async function measure({ run, pids }: Contender, seconds: number, into: Rounds): Promise<void> {
  const used = () =>
    Object.entries(pids?.() ?? {}).map(([process, list]) => [process, processorSeconds(list)] as const);
  const before = used();
  const disturbance = watchOthers();
  const load = await run(seconds, true);
  into.disturbances.push(disturbance());
  const after = new Map(used());
  for (const [process, began] of before) {
    (into.microseconds[process] ??= []).push((((after.get(process) ?? began) - began) * 1e6) / load.requests);
  }
  into.loads.push(load);
}

/**
 * The ratio of one contender's rate to another's: the median of the ratios per round. The machine's speed varies
 * within ten seconds by more than most contenders differ; those of one round were measured right after each other.
 */
export function ratioOf(one: readonly number[], other: readonly number[]): number {
  return median(one.map((rate, round) => rate / (other[round] ?? Number.NaN)));
}

/** A line for each contender: medians, the spread of the rounds, and the ratio of the first one's rate to it. */
export function describeContest(title: string, measured: readonly Measured[]): string {
  const ours = measured[0]?.perSecond ?? [];
  const lines = measured.map((one, index) => {
    const { contender, perSecond, p50 = [], p99 = [], microseconds = {}, refused, isSteady: wasSteady } = one;
    const rate = median(perSecond);
    const spread = `${Math.min(...perSecond).toFixed(0)}-${Math.max(...perSecond).toFixed(0)}`;
    const costs = Object.entries(microseconds).map(([name, list]) => `${name} ${Math.min(...list).toFixed(0)}`);
    return (
      `  ${contender.padEnd(46)} ${rate.toFixed(0).padStart(6)}/s (${spread})   p50 ${median(p50).toFixed(1)} ms   p99 ${median(p99).toFixed(1)} ms` +
      `${index === 0 ? '' : `   gangway reaches ${ratioOf(ours, perSecond).toFixed(2)} of it`}${costs.length === 0 ? '' : `   us a request: ${costs.join(', ')}`}${wasSteady === true ? '' : '   NOT STEADY after the warm-up'}${refused === 0 ? '' : `   ${refused} REJECTED`}`
    );
  });
  return [title, ...lines, describeDisturbance(measured.flatMap(({ disturbances = [] }) => disturbances))].join('\n');
}

function describeDisturbance(all: readonly Disturbance[]): string {
  const formatted = (list: number[]) => `${median(list).toFixed(0)} % (at most ${Math.max(...list).toFixed(0)} %)`;
  return `  used by other processes of this machine ${formatted(all.map(({ others }) => others))}, other machines ${formatted(all.map(({ stolen }) => stolen))}`;
}
