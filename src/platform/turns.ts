export interface TurnLimits {
  /** Turns at once for one key. */
  atOnce: number;
  /** A turn is given to the next after this time, whether or not its work has ended; left out, work is waited for. */
  heldMs?: number;
  /** Longest wait for a turn; left out, it has no end. */
  waitMs?: number;
  /** How many of one key may wait; left out, any number. */
  waitingMax?: number;
}

/** Gives a turn back; a second call does nothing. */
type GiveBack = () => void;

export interface Turns {
  /** Waits for a turn of the key; undefined when none came free in time, or the client has gone. */
  take(key: string, hungUp: AbortSignal): Promise<GiveBack | undefined>;
}

interface Line {
  running: number;
  waiting: Set<() => void>;
}

/** Slots for large work: first come, first served within a key, and no key waits for another. In this process alone. */
export function createTurns({ atOnce, heldMs, waitMs, waitingMax = Infinity }: TurnLimits): Turns {
  const lines = new Map<string, Line>();
  const begin = (key: string, line: Line): GiveBack => {
    line.running += 1;
    let isHeld = true;
    const giveBack = () => {
      if (!isHeld) return;
      isHeld = false;
      clearTimeout(late);
      line.running -= 1;
      const [next] = line.waiting;
      if (next) next();
      else if (line.running === 0) lines.delete(key);
    };
    const late = heldMs === undefined ? undefined : setTimeout(giveBack, heldMs).unref();
    return giveBack;
  };
  return {
    take: async (key, hungUp) => {
      if (hungUp.aborted) return undefined;
      const line = lines.get(key) ?? { running: 0, waiting: new Set() };
      lines.set(key, line);
      if (line.running < atOnce) return begin(key, line);
      if (line.waiting.size >= waitingMax) return undefined;
      return new Promise((resolve) => {
        const leave = (turn: GiveBack | undefined) => {
          clearTimeout(timer);
          hungUp.removeEventListener('abort', giveUp);
          line.waiting.delete(called);
          resolve(turn);
        };
        const called = () => leave(begin(key, line));
        const giveUp = () => leave(undefined);
        const timer = waitMs === undefined ? undefined : setTimeout(giveUp, waitMs);
        hungUp.addEventListener('abort', giveUp, { once: true });
        line.waiting.add(called);
      });
    },
  };
}
