/** Whether single creations are at work, in whatever process, so that what is less urgent gives way. */
export interface CreationActivity {
  /** Does a creation for which somebody waits. */
  during<T>(work: () => Promise<T>): Promise<T>;
  /** A creation for which somebody waited has ended, here or in another process. */
  heard(): void;
  /** Somebody waits, or has just waited, for a creation. */
  isActive(): boolean;
}

/** Requests come one after the other: so long after one the next is expected. */
const LASTS_MS = 1_000;

/** Makes the sign by which creations tell others that they are at work: those of this process as they begin, the others as they end. */
export function createCreationActivity(now: () => number = () => performance.now()): CreationActivity {
  let underWay = 0;
  let endedAt = Number.NEGATIVE_INFINITY;
  return {
    during: async (work) => {
      underWay += 1;
      try {
        return await work();
      } finally {
        underWay -= 1;
        endedAt = now();
      }
    },
    heard: () => {
      endedAt = now();
    },
    isActive: () => underWay > 0 || now() - endedAt < LASTS_MS,
  };
}
