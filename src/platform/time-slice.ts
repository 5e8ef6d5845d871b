import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** A few seconds of long work, on an import job or a reconciliation. */
export interface TimeSlice {
  /** True once no further page may begin. */
  isOver(): boolean;
  /** Maximum number of lines or accounts in the next transaction. */
  atOnce(): number;
  /** True while requests wait for single creations. */
  givesWay(): boolean;
  /** Waits until the speed limit allows more; false if that is after the end of the slice. */
  isReady(): Promise<boolean>;
  /** Counts finished work, and pauses while requests wait for single creations. */
  done(count: number, tookMs: number): Promise<void>;
  /** Milliseconds until the speed limit allows more. */
  waitMs(): number;
  /** Yields if this work has occupied the event loop for some milliseconds. */
  yieldToEventLoop(): Promise<void>;
}

/** Longest time without yielding: single requests share the event loop. */
const LOOP_MS = 4;

interface TimeSliceBudget {
  /** Length of the slice in milliseconds. */
  workMs: number;
  /** Size of a transaction, and its size while requests wait for single creations. */
  atOnce: number;
  atOnceBesideRequests: number;
}

/** Begins a time slice. @param maxPerSecond undefined: no limit */
export function beginTimeSlice(options: {
  maxPerSecond: number | undefined;
  /** Single creations, which take precedence. */
  activity: { isActive(): boolean };
  cancelled: AbortSignal;
  budget: TimeSliceBudget;
}): TimeSlice {
  const { maxPerSecond, activity, cancelled, budget } = options;
  const endsAt = performance.now() + budget.workMs;
  let nextAt = performance.now();
  let yieldedAt = performance.now();
  const waitMs = () => Math.max(0, nextAt - performance.now());
  const isOver = () => cancelled.aborted || performance.now() >= endsAt;
  return {
    isOver,
    atOnce: () => {
      const size = activity.isActive() ? budget.atOnceBesideRequests : budget.atOnce;
      // One second's worth at most, so that the limit also holds over short times.
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
    yieldToEventLoop: async () => {
      if (performance.now() - yieldedAt < LOOP_MS) return;
      await setImmediate();
      yieldedAt = performance.now();
    },
  };
}
