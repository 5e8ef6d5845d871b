/** Failed tries with one key from one address within a minute (promise S5), and with all keys from one address. */
export const FAILED_TRIES_MAX = { key: 10, address: 100 } as const;
const WINDOW_MS = 60_000;
/** Windows remembered; the oldest is forgotten first. */
const WINDOWS_MAX = 10_000;

/** Who tries: where from, and the start of the secret, by which a key is known without knowing it. */
export interface Try {
  address: string;
  secretStart: string;
}

export interface FailedTries {
  /** Seconds until the tries of this key and address are heard again; undefined when they are heard. */
  usedUpFor(one: Try): number | undefined;
  /** @returns true when this was the last try that is heard */
  add(one: Try): boolean;
}

/**
 * Counts failed tries per minute, by key and address and by address. Secrets of 256 bits cannot be guessed; the limits keep
 * a broken or hostile client from using up the database. A key is counted together with its address, so that nobody who
 * knows how a key begins can lock its owner out.
 */
export function countFailedTries(now: () => number = () => performance.now()): FailedTries {
  const windows = new Map<string, { since: number; count: number }>();
  const windowOf = (name: string) => {
    const window = windows.get(name);
    return window !== undefined && now() - window.since < WINDOW_MS ? window : undefined;
  };
  const count = (name: string): number => {
    const window = windowOf(name);
    if (window !== undefined) return (window.count += 1);
    windows.delete(name);
    if (windows.size >= WINDOWS_MAX) windows.delete(windows.keys().next().value!);
    windows.set(name, { since: now(), count: 1 });
    return 1;
  };
  const limitsOf = ({ address, secretStart }: Try) => [
    { name: JSON.stringify([address]), max: FAILED_TRIES_MAX.address },
    { name: JSON.stringify([address, secretStart]), max: FAILED_TRIES_MAX.key },
  ];
  return {
    usedUpFor: (one) => {
      const left = limitsOf(one).flatMap(({ name, max }) => {
        const window = windowOf(name);
        return window !== undefined && window.count >= max ? [window.since + WINDOW_MS - now()] : [];
      });
      return left.length === 0 ? undefined : Math.max(1, Math.ceil(Math.max(...left) / 1_000));
    },
    add: (one) => limitsOf(one).map(({ name, max }) => count(name) === max).includes(true),
  };
}
