import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import type { CreationActivity } from '../../src/account-import/index.ts';
import { importJobBudget } from '../../src/import-jobs/work-off/import-job-budget.rules.ts';

/** One turn of work on a job: how long it lasts, how fast it may go, and what it gives way to. */
export interface Stint {
  /** No further page is begun. */
  isOver(): boolean;
  /** Most lines that the next transaction may do. */
  linesMax(): number;
  /** Somebody waits for a single creation. */
  givesWay(): boolean;
  /** Waits until the job's speed lets it do more; false when that is not within this stint. */
  isReady(): Promise<boolean>;
  /** Counts lines that were done, and rests where somebody waits. */
  done(lines: number, tookMs: number): Promise<void>;
  /** Until the job's speed lets it do more. */
  waitMs(): number;
  /** Lets others of this process have their turn of the event loop, if this one has lasted for some milliseconds. */
  turn(): Promise<void>;
}

/** Longest time at one go on the event loop, which single requests share. */
const TURN_MS = 4;

/** Begins a stint. @param maxPerSecond of the job; undefined: as fast as it goes */
export function beginStint(options: {
  maxPerSecond: number | undefined;
  activity: CreationActivity;
  cancelled: AbortSignal;
}): Stint {
  const { maxPerSecond, activity, cancelled } = options;
  const endsAt = performance.now() + importJobBudget.workMs;
  let nextAt = performance.now();
  let turnedAt = performance.now();
  const waitMs = () => Math.max(0, nextAt - performance.now());
  const isOver = () => cancelled.aborted || performance.now() >= endsAt;
  return {
    isOver,
    linesMax: () => {
      const size = activity.isActive() ? importJobBudget.linesBesideRequests : importJobBudget.linesAtOnce;
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
    done: async (lines, tookMs) => {
      if (maxPerSecond !== undefined) {
        nextAt = Math.max(nextAt, performance.now() - tookMs) + (lines / maxPerSecond) * 1_000;
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
