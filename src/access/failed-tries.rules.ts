/** Failed tries of one address within a minute, beyond which it is not listened to until the minute is over. */
export const FAILED_TRIES_MAX = 100;
const WINDOW_MS = 60_000;
/** Addresses remembered; the oldest is forgotten first. */
const ADDRESSES_MAX = 10_000;

export interface FailedTries {
  /** Tells whether the address has used up its tries. */
  areUsedUp(address: string): boolean;
  add(address: string): void;
}

/**
 * Counts failed tries per address and minute. Secrets of 256 bits cannot be guessed; the limit keeps a broken or hostile
 * client from using up the database.
 */
export function countFailedTries(now: () => number = () => performance.now()): FailedTries {
  const windows = new Map<string, { since: number; count: number }>();
  const windowOf = (address: string) => {
    const window = windows.get(address);
    return window !== undefined && now() - window.since < WINDOW_MS ? window : undefined;
  };
  return {
    areUsedUp: (address) => (windowOf(address)?.count ?? 0) >= FAILED_TRIES_MAX,
    add: (address) => {
      const window = windowOf(address);
      if (window !== undefined) {
        window.count += 1;
        return;
      }
      windows.delete(address);
      if (windows.size >= ADDRESSES_MAX) windows.delete(windows.keys().next().value!);
      windows.set(address, { since: now(), count: 1 });
    },
  };
}
