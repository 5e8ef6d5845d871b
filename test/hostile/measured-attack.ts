import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { residentMb } from '../bench/measure.ts';
import type { Stack } from '../scenarios/stack.ts';
import { childEnvironment } from '../support/child-environment.ts';
import type { Answers, Target, Attack } from './attack-load.ts';
import type { AttackOrder } from './attacker.ts';
import type { Bystander, Call } from './bystander.ts';

/** Durations: calls without attack, an attack, and the first calls of every kind, which are compiled then. */
export interface Pace {
  /** Overrides the wishes of an attack. */
  quietSeconds?: number;
  attackSeconds?: number;
  warmUpSeconds: number;
  /** Interval of each kind of call of the bystander. */
  callEveryMs: number;
  /** At the simulated network operator. */
  lookupsPerSecond: number;
}

/** The effect of one attack on a bystander and on the process. */
export interface AttackFigures {
  name: string;
  /** Responses that the attackers received. */
  answers: Answers;
  quiet: { p50: number; p99: number; calls: number };
  attacked: { p99: number; calls: number };
  /** p99 under attack divided by the quiet p99. */
  ratio: number;
  longestDelayMs: number;
  memoryMb: { before: number; peak: number; after: number };
  /** The bystander's rejected calls, from the beginning of the attack until the memory was released. */
  refusals: string[];
  isAlive: boolean;
}

const QUIET_SECONDS = 2.5;
const SAMPLE_EVERY_MS = 50;
/** Allowed growth of memory, and the time in which it must shrink again. */
const [MEMORY_MB_MORE, MEMORY_BACK_WITHIN_MS] = [100, 60_000];

interface Scene {
  stack: Stack;
  attacker: Attacker;
  bystander: Bystander;
  target: Target;
  metricsUrl: string;
  pace: Pace;
}

/** Attacks while the bystander continues, then waits until memory has shrunk. */
export async function measure(
  { stack, attacker, bystander, target, metricsUrl, pace }: Scene,
  attack: Attack,
): Promise<AttackFigures> {
  const { pid, whenExited } = stack.process('api');
  let isAlive = true;
  void whenExited.then(() => {
    isAlive = false;
  });
  const endMore = attack.watched === undefined ? undefined : bystander.alsoCall(attack.watched);
  const begin = await attacker.prepare(attack, target);
  const watched = (from: number, to: number) =>
    bystander.calls.filter(
      ({ at, kind }) => at >= from && at < to && (attack.watched === undefined || kind === attack.watched),
    );

  const quietFrom = performance.now();
  await sleep((pace.quietSeconds ?? attack.quietSeconds ?? QUIET_SECONDS) * 1_000);
  const before = residentMb(pid);
  await longestDelayMs(metricsUrl);
  const attackFrom = performance.now();
  const memory = sampleMemory(pid, () => isAlive);
  const answers = await begin();
  const attackTo = performance.now();
  const longest = isAlive ? await longestDelayMs(metricsUrl) : Number.NaN;
  const peak = memory.stop();
  // Waits for every call that started during the attack.
  await endMore?.();
  const after = await memoryBack(() => (isAlive ? residentMb(pid) : 0), before + MEMORY_MB_MORE);
  const [quiet, attacked] = [watched(quietFrom, attackFrom), watched(attackFrom, attackTo)];
  return {
    name: attack.name,
    answers,
    longestDelayMs: longest,
    isAlive,
    quiet: { p50: percentile(quiet, 50), p99: percentile(quiet, 99), calls: quiet.length },
    attacked: { p99: percentile(attacked, 99), calls: attacked.length },
    ratio: percentile(attacked, 99) / percentile(quiet, 99),
    memoryMb: { before, peak, after },
    refusals: bystander.calls.flatMap(({ at, refusal }) => (at >= quietFrom && refusal !== undefined ? [refusal] : [])),
  };
}

/** The process that sends the attacks. */
export interface Attacker {
  /** Prepares the data; resolves to the attack. */
  prepare(attack: Attack, target: Target): Promise<() => Promise<Answers>>;
  stop(): Promise<void>;
}

/** Starts the process, which runs one attack after the other. */
export function startAttacker(): Attacker {
  const child: ChildProcess = fork(join(import.meta.dirname, 'attacker.ts'), [], {
    execArgv: [],
    env: { ...process.env, ...childEnvironment() },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    // A separate session with the lowest priority.
    detached: true,
  });
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
  });
  const command = async (message: AttackOrder | 'begin'): Promise<unknown> => {
    const answer = new Promise<unknown>((resolve) => {
      child.once('message', resolve);
    });
    child.send(message);
    return Promise.race([
      answer,
      ended.then(() => {
        throw new Error('the attacker ended');
      }),
    ]);
  };
  return {
    prepare: async ({ name }, target) => {
      await command({ name, target });
      return () => command('begin') as Promise<Answers>;
    },
    stop: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

function sampleMemory(pid: number, isAlive: () => boolean): { stop(): number } {
  let peak = 0;
  const sample = () => {
    if (isAlive()) peak = Math.max(peak, residentMb(pid));
  };
  const timer = setInterval(sample, SAMPLE_EVERY_MS);
  return {
    stop: () => {
      sample();
      clearInterval(timer);
      return peak;
    },
  };
}

/** Resolves to the memory as soon as it is low enough, or after the time limit. */
async function memoryBack(read: () => number, wantedMb: number): Promise<number> {
  const endsAt = performance.now() + MEMORY_BACK_WITHIN_MS;
  for (;;) {
    const now = read();
    if (now < wantedMb || performance.now() > endsAt) return now;
    await sleep(SAMPLE_EVERY_MS);
  }
}

/** Longest event-loop delay of the API since the last call. */
async function longestDelayMs(metricsUrl: string): Promise<number> {
  const text = await (await fetch(metricsUrl)).text();
  return Number(/^nodejs_eventloop_delay_max\S* (\S+)/m.exec(text)?.[1]) * 1_000;
}

export function percentile(calls: readonly Call[], percent: number): number {
  const sorted = calls.map(({ ms }) => ms).sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}

/** One line for readers. */
export function lineOf({
  name,
  quiet,
  attacked,
  ratio,
  longestDelayMs: longest,
  memoryMb,
  answers,
  refusals,
  isAlive,
}: AttackFigures): string {
  const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0);
  return (
    `${name}: quiet p50 ${ms(quiet.p50)} ms, p99 ${ms(quiet.p99)} ms; under attack p99 ${ms(attacked.p99)} ms (${attacked.calls} calls), ratio ${ratio.toFixed(1)}; event loop blocked for ${ms(longest)} ms at most; ` +
    `memory ${memoryMb.before} MB, ${memoryMb.peak} at most, ${memoryMb.after} after; attackers were answered ${Object.entries(
      answers,
    )
      .map(([what, count]) => `${count} x ${what}`)
      .join(', ')}` +
    `${refusals.length === 0 ? '' : `; ${refusals.length} REJECTED (${refusals[0]})`}${isAlive ? '' : '; THE PROCESS DIED'}`
  );
}

/** Whether the memory was released in time. */
export const isMemoryBack = ({ memoryMb }: AttackFigures): boolean => memoryMb.after < memoryMb.before + MEMORY_MB_MORE;
