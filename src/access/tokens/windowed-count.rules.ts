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

/** Counts names in windows of equal length, each starting with the first count. Holds at most `namesMax` names; the oldest window is dropped first. */
export function countInWindows({
  windowMs,
  namesMax,
  now = () => performance.now(),
}: {
  windowMs: number;
  namesMax: number;
  now?: () => number;
}): WindowedCount {
  const windows = new Map<string, { since: number; count: number }>();
  const windowOf = (name: string) => {
    const window = windows.get(name);
    return window !== undefined && now() - window.since < windowMs ? window : undefined;
  };
  return {
    of: (name) => windowOf(name)?.count ?? 0,
    add: (name) => {
      const window = windowOf(name);
      if (window !== undefined) return (window.count += 1);
      windows.delete(name);
      if (windows.size >= namesMax) windows.delete(windows.keys().next().value!);
      windows.set(name, { since: now(), count: 1 });
      return 1;
    },
    revert: (name) => {
      const window = windowOf(name);
      if (window !== undefined && window.count > 0) window.count -= 1;
    },
    secondsLeft: (name) =>
      Math.max(1, Math.ceil(((windowOf(name)?.since ?? now() - windowMs) + windowMs - now()) / 1_000)),
  };
}
