/** The database's clock stood at `databaseMs` at some moment between these two of ours. */
interface ClockReading {
  askedMs: number;
  answeredMs: number;
  databaseMs: number;
}

/** Where the database's clock stands against ours, from the quickest reading of late. */
export interface DatabaseClock {
  add(reading: ClockReading): void;
  /** The moment of ours at which the database's clock stands at `databaseMs`. */
  ours(databaseMs: number): number;
  /** By how much `ours` may be wrong at most; without end before the first reading. */
  doubtMs(nowMs: number): number;
}

/** Two clocks drift apart by at most so much of the time that passes; twice what clocks that are being set right may. */
const DRIFT = 0.001;

interface Known {
  /** Ours less the database's. */
  offsetMs: number;
  doubtMs: number;
  atMs: number;
}

/** A clock without readings. */
export function createDatabaseClock(): DatabaseClock {
  let known: Known | undefined;
  const doubtMs = (nowMs: number): number =>
    known === undefined ? Infinity : known.doubtMs + DRIFT * (nowMs - known.atMs);
  return {
    add: ({ askedMs, answeredMs, databaseMs }) => {
      const read: Known = {
        offsetMs: (askedMs + answeredMs) / 2 - databaseMs,
        doubtMs: (answeredMs - askedMs) / 2,
        atMs: answeredMs,
      };
      // Both cannot be true when one of the clocks was set anew: then the new reading is.
      const isSetAnew =
        known !== undefined && Math.abs(known.offsetMs - read.offsetMs) > doubtMs(answeredMs) + read.doubtMs;
      if (isSetAnew || read.doubtMs <= doubtMs(answeredMs)) known = read;
    },
    ours: (databaseMs) => databaseMs + (known?.offsetMs ?? NaN),
    doubtMs,
  };
}
