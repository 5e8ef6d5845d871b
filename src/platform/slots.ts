export interface SlotLimits {
  /** Number of slots per key. */
  atOnce: number;
  /** The slot is released after this time even if its work has not ended. Default: only when the work ends. */
  releaseAfterMs?: number;
  /** Longest wait for a slot; unlimited by default. */
  waitMs?: number;
  /** Maximum number of waiting callers of one key; unlimited by default. */
  waitingMax?: number;
}

/** Releases a slot; further calls have no effect. */
type Release = () => void;

export interface Slots {
  /** Waits for a slot of the key. Returns undefined if none became free in time, or if the client disconnected. */
  acquire(key: string, hungUp: AbortSignal): Promise<Release | undefined>;
}

interface Line {
  running: number;
  waiting: Set<() => void>;
}

/** Slots per key, first come, first served; keys are independent. In this process only. */
export function createSlots({ atOnce, releaseAfterMs, waitMs, waitingMax = Infinity }: SlotLimits): Slots {
  const lines = new Map<string, Line>();
  const begin = (key: string, line: Line): Release => {
    line.running += 1;
    let isHeld = true;
    const release = () => {
      if (!isHeld) return;
      isHeld = false;
      clearTimeout(late);
      line.running -= 1;
      const [next] = line.waiting;
      if (next) next();
      else if (line.running === 0) lines.delete(key);
    };
    const late = releaseAfterMs === undefined ? undefined : setTimeout(release, releaseAfterMs).unref();
    return release;
  };
  return {
    acquire: async (key, hungUp) => {
      if (hungUp.aborted) return undefined;
      const line = lines.get(key) ?? { running: 0, waiting: new Set() };
      lines.set(key, line);
      if (line.running < atOnce) return begin(key, line);
      if (line.waiting.size >= waitingMax) return undefined;
      return new Promise((resolve) => {
        const settle = (slot: Release | undefined) => {
          clearTimeout(timer);
          hungUp.removeEventListener('abort', giveUp);
          line.waiting.delete(called);
          resolve(slot);
        };
        const called = () => settle(begin(key, line));
        const giveUp = () => settle(undefined);
        const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
        hungUp.addEventListener('abort', giveUp, { once: true });
        line.waiting.add(called);
      });
    },
  };
}
