import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { CreationActivity } from '../src/account-import/index.ts';

/** One turn of long work, on a job or a reconciliation: how long it lasts, how fast it may go, and what it gives way to. */
export interface Stint {
  /** No further page is begun. */
  isOver(): boolean;
  /** Most lines or accounts that the next transaction may do. */
  atOnce(): number;
  /** Somebody waits for a single creation. */
  givesWay(): boolean;
  /** Waits until its speed lets it do more; false when that is not within this stint. */
  isReady(): Promise<boolean>;
  /** Counts what was done, and rests where somebody waits. */
  done(count: number, tookMs: number): Promise<void>;
  /** Until its speed lets it do more. */
  waitMs(): number;
  /** Lets others of this process have their turn of the event loop, if this one has lasted for some milliseconds. */
  turn(): Promise<void>;
}

/** Longest time at one go on the event loop, which single requests share. */
const TURN_MS = 4;

interface StintBudget {
  /** How long it lasts. */
  workMs: number;
  /** How much one transaction does, and how much while somebody waits for single creations. */
  atOnce: number;
  atOnceBesideRequests: number;
}

/** Begins a stint. @param maxPerSecond undefined: as fast as it goes */
export function beginStint(options: {
  maxPerSecond: number | undefined;
  activity: CreationActivity;
  cancelled: AbortSignal;
  budget: StintBudget;
}): Stint {
  const { maxPerSecond, activity, cancelled, budget } = options;
  const endsAt = performance.now() + budget.workMs;
  let nextAt = performance.now();
  let turnedAt = performance.now();
  const waitMs = () => Math.max(0, nextAt - performance.now());
  const isOver = () => cancelled.aborted || performance.now() >= endsAt;
  return {
    isOver,
    atOnce: () => {
      const size = activity.isActive() ? budget.atOnceBesideRequests : budget.atOnce;
      // A second's worth at most, so that the speed is kept over short times too.
      return maxPerSecond === undefined ? size : Math.min(size, Math.max(1, Math.floor(maxPerSecond)));
    },
    givesWay: () => activity.isActive(),
    isReady: async () => {
      const pause = waitMs();
      if (performance.now() + pause >= endsAt && pause > 0) return false;
      if (pause > 0) await sleep(pause, undefined, { signal: cancelled }).catch(() => {});
      return !cancelled.aborted;
    },
    done: async (count, tookMs) => {
      if (maxPerSecond !== undefined) {
        nextAt = Math.max(nextAt, performance.now() - tookMs) + (count / maxPerSecond) * 1_000;
      }
      if (activity.isActive()) await sleep(tookMs, undefined, { signal: cancelled }).catch(() => {});
    },
    waitMs,
    turn: async () => {
      if (performance.now() - turnedAt < TURN_MS) return;
      await setImmediate();
      turnedAt = performance.now();
    },
  };
}
