/** What an organisation may have at once of what is large, and how long others of it wait. */
export interface TurnLimits {
  atOnce: number;
  waitMs: number;
  waitingMax: number;
  /** A turn is given to the next after this time, whatever became of it: a client that reads nothing must not keep its organisation waiting. */
  heldMs: number;
}

/** Gives a turn back; a second call does nothing. */
type GiveBack = () => void;

export interface Turns {
  /** Waits for a turn of an organisation; undefined when none came free in time, or the client has gone. */
  take(organisation: string, hungUp: AbortSignal): Promise<GiveBack | undefined>;
}

interface Line {
  running: number;
  waiting: Set<() => void>;
}

/** Turns for what is large, by organisation: first come, first served within each, and none waits for another's. In this process alone. */
export function createTurns({ atOnce, waitMs, waitingMax, heldMs }: TurnLimits): Turns {
  const lines = new Map<string, Line>();
  const begin = (organisation: string, line: Line): GiveBack => {
    line.running += 1;
    let isHeld = true;
    const giveBack = () => {
      if (!isHeld) return;
      isHeld = false;
      clearTimeout(late);
      line.running -= 1;
      const [next] = line.waiting;
      if (next) next();
      else if (line.running === 0) lines.delete(organisation);
    };
    const late = setTimeout(giveBack, heldMs);
    late.unref();
    return giveBack;
  };
  return {
    take: async (organisation, hungUp) => {
      const line = lines.get(organisation) ?? { running: 0, waiting: new Set() };
      lines.set(organisation, line);
      if (line.running < atOnce) return begin(organisation, line);
      if (line.waiting.size >= waitingMax || hungUp.aborted) return undefined;
      return new Promise((resolve) => {
        const leave = (turn: GiveBack | undefined) => {
          clearTimeout(timer);
          hungUp.removeEventListener('abort', giveUp);
          line.waiting.delete(called);
          resolve(turn);
        };
        const called = () => leave(begin(organisation, line));
        const giveUp = () => leave(undefined);
        const timer = setTimeout(giveUp, waitMs);
        hungUp.addEventListener('abort', giveUp, { once: true });
        line.waiting.add(called);
      });
    },
  };
}
