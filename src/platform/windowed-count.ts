import { LRUCache } from 'lru-cache';

export interface WindowedCount {
  /** Count of a name in its current window. */
  of(name: string): number;
  /** Increments the count. @returns the new count */
  add(name: string): number;
  /** Reverts a count made in advance. */
  revert(name: string): void;
  /** Seconds until the window of a name ends, at least 1. */
  secondsLeft(name: string): number;
}

/**
 * Counts names in windows of equal length, each starting with the first count. Holds at most `namesMax` names; the one that was not counted
 * for the longest time is dropped first.
 */
export function countInWindows(max: {
  windowMs: number;
  namesMax: number;
  now?: (() => number) | undefined;
}): WindowedCount {
  const { windowMs, namesMax, now = () => performance.now() } = max;
  const windows = new LRUCache<string, { count: number }>({
    max: namesMax,
    // The library keeps an entry whose age equals its lifetime.
    ttl: windowMs - 1,
    ttlResolution: 0,
    // The library treats a clock value of 0 as missing.
    perf: { now: () => now() + 1 },
  });
  return {
    of: (name) => windows.get(name)?.count ?? 0,
    add: (name) => {
      const window = windows.get(name);
      if (window !== undefined) return (window.count += 1);
      windows.set(name, { count: 1 });
      return 1;
    },
    revert: (name) => {
      const window = windows.get(name);
      if (window !== undefined && window.count > 0) window.count -= 1;
    },
    secondsLeft: (name) => Math.max(1, Math.ceil(windows.getRemainingTTL(name) / 1_000)),
  };
}
