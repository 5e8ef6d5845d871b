/** Whether requests wait for creations in any process, so that less urgent work yields. */
export interface CreationActivity {
  /** Runs a creation for which a request waits. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** Reports that another process has ended a creation. */
  notified(): void;
  /** Whether a request waits for a creation, or did a moment ago. */
  isActive(): boolean;
}

/** How long after a creation the next request is expected. */
const LASTS_MS = 1_000;

/** Tracks creations: those of this process from their start, those of other processes from their end. */
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
