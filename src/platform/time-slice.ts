import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** A few seconds of work on an import job or a reconciliation. */
export interface TimeSlice {
  /** Whether no further page may start. */
  isOver(): boolean;
  /** Maximum number of lines or accounts in the next transaction. */
  atOnce(): number;
  /** Whether requests wait for single creations. */
  mustYield(): boolean;
  /** Waits until the rate limit allows more work. Returns false if that is after the end of the slice. */
  isReady(): Promise<boolean>;
  /** Counts finished work, and pauses while requests wait for single creations. */
  done(count: number, durationMs: number): Promise<void>;
  /** Milliseconds until the rate limit allows more work. */
  waitMs(): number;
  /** Yields if this work has occupied the event loop for `LOOP_MS`. */
  yieldToEventLoop(): Promise<void>;
}

/** Longest time without yielding, because single requests share the event loop. */
const LOOP_MS = 4;

interface TimeSliceBudget {
  /** Length of the slice in milliseconds. */
  workMs: number;
  /** Size of a transaction, normally and while requests wait for single creations. */
  atOnce: number;
  atOnceBesideRequests: number;
}

/** Starts a time slice. @param maxPerSecond undefined: no limit */
export function beginTimeSlice(options: {
  maxPerSecond: number | undefined;
  /** Single creations, which have priority. */
  activity: { isActive(): boolean };
  cancelled: AbortSignal;
  budget: TimeSliceBudget;
}): TimeSlice {
  const { maxPerSecond, activity, cancelled, budget } = options;
  const endsAt = performance.now() + budget.workMs;
  let nextAt = performance.now();
  const waitMs = () => Math.max(0, nextAt - performance.now());
  const isOver = () => cancelled.aborted || performance.now() >= endsAt;
  return {
    isOver,
    atOnce: () => {
      const size = activity.isActive() ? budget.atOnceBesideRequests : budget.atOnce;
      // At most one second's worth, so that the limit also holds over short times.
      return maxPerSecond === undefined ? size : Math.min(size, Math.max(1, Math.floor(maxPerSecond)));
    },
    mustYield: () => activity.isActive(),
    isReady: async () => {
      const pause = waitMs();
      if (performance.now() + pause >= endsAt && pause > 0) return false;
      if (pause > 0) await sleep(pause, undefined, { signal: cancelled }).catch(() => {});
      return !cancelled.aborted;
    },
    done: async (count, durationMs) => {
      if (maxPerSecond !== undefined) {
        nextAt = Math.max(nextAt, performance.now() - durationMs) + (count / maxPerSecond) * 1_000;
      }
      if (activity.isActive()) await sleep(durationMs, undefined, { signal: cancelled }).catch(() => {});
    },
    waitMs,
    yieldToEventLoop: eventLoopYields(),
  };
}

/** Returns a function that yields if the work since its last yield has occupied the event loop for `LOOP_MS`. */
export function eventLoopYields(): () => Promise<void> {
  let yieldedAt = performance.now();
  return async () => {
    if (performance.now() - yieldedAt < LOOP_MS) return;
    await setImmediate();
    yieldedAt = performance.now();
  };
}
