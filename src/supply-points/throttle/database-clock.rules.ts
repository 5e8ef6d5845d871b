/** The database's clock showed `databaseMs` at some time between `askedMs` and `answeredMs` of the local clock. */
interface ClockReading {
  requestedMs: number;
  answeredMs: number;
  databaseMs: number;
}

/** Converts times of the database's clock to the local clock, using the most accurate recent reading. */
export interface DatabaseClock {
  add(reading: ClockReading): void;
  /** The local time at which the database's clock shows `databaseMs`. */
  ours(databaseMs: number): number;
  /** The largest error of `ours`; infinite before the first reading. */
  clockErrorMs(nowMs: number): number;
}

/** Largest drift between two clocks, as a share of time: twice that of a clock that is being adjusted. */
const DRIFT = 0.001;

interface Known {
  /** Local time minus the database's. */
  offsetMs: number;
  clockErrorMs: number;
  atMs: number;
}

/** A clock without readings. */
export function createDatabaseClock(): DatabaseClock {
  let known: Known | undefined;
  const clockErrorMs = (nowMs: number): number =>
    known === undefined ? Infinity : known.clockErrorMs + DRIFT * (nowMs - known.atMs);
  return {
    add: ({ requestedMs, answeredMs, databaseMs }) => {
      const read: Known = {
        offsetMs: (requestedMs + answeredMs) / 2 - databaseMs,
        clockErrorMs: (answeredMs - requestedMs) / 2,
        atMs: answeredMs,
      };
      // If the two readings contradict each other, a clock was set, and the new reading applies.
      const isSetAnew =
        known !== undefined && Math.abs(known.offsetMs - read.offsetMs) > clockErrorMs(answeredMs) + read.clockErrorMs;
      if (isSetAnew || read.clockErrorMs <= clockErrorMs(answeredMs)) known = read;
    },
    ours: (databaseMs) => databaseMs + (known?.offsetMs ?? NaN),
    clockErrorMs,
  };
}
