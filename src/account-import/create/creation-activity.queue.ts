/** Shows whether creation requests wait in any process, so that less urgent work can yield. */
export interface CreationActivity {
  /** Runs a creation that a request waits for. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Records that another process has completed a creation. */
  notified(): void;
  /** Whether a request waits for a creation, or did within the last second. */
  isActive(): boolean;
}

/** How long after a creation the next request is expected. */
const LASTS_MS = 1_000;

/** Tracks the creations of this process from start to end, and those of other processes by their end. */
export function createCreationActivity(now: () => number = () => performance.now()): CreationActivity {
  let running = 0;
  let endedAt = Number.NEGATIVE_INFINITY;
  return {
    during: async (work) => {
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        endedAt = now();
      }
    },
    notified: () => {
      endedAt = now();
    },
    isActive: () => running > 0 || now() - endedAt < LASTS_MS,
  };
}
