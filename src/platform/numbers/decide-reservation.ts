/** The highest numbers ever reserved, as stored outside the database. */
export interface NumberMarks {
  account: number;
  business: number;
}

/** State of the numbers of one kind in the database. */
export interface NumberRange {
  from: number;
  until: number;
  /** Last number issued. */
  last: number;
}

export interface DatabaseMark {
  account: NumberRange;
  business: NumberRange;
  /** Whether the present state of the database reserved the ranges; undefined if it never reserved any. */
  holds: boolean | undefined;
  /** Number of promotions of Postgres (point-in-time restore, failover) since the ranges were reserved. */
  promotions: number;
  /** Database time in Unix seconds. */
  nowSeconds: number;
}

/**
 * Numbers reserved at a time. Account numbers have 40 bits, and a range lasts for half a minute of the fastest import. Business ids have 31
 * bits; 10,000 last for some seconds of any import job, with some left for single requests.
 */
const RESERVED_AT_ONCE: NumberMarks = { account: 100_000, business: 10_000 };

/**
 * Minimum leap if the database may have been set back. A random number is added: if Temporal was set back too, a second leap from the same
 * state must not lead to the same numbers.
 */
const LEAP: NumberMarks = { account: 10_000_000, business: 10_000 };
const RANDOM_LEAP: NumberMarks = { account: 100_000_000, business: 1_000_000 };
/** Minimum leap if the mark outside the database is lost, because the database may be a backup that is weeks old. */
const LEAP_WITHOUT_MARK: NumberMarks = { account: 100_000_000, business: 1_000_000 };
/** Added for each promotion. Exceeds the other leaps together, so that a restored timeline is beyond the lost one. */
const PROMOTION_LEAP: NumberMarks = { account: 1_000_000_000, business: 3_000_000 };

/**
 * Only the clock is not reset by a snapshot of a whole machine. A leap therefore reaches at least the number that corresponds to the clock:
 * 1,000 account numbers a second. Business ids have too few bits for this.
 */
const CLOCK_START_SECONDS = Date.UTC(2026, 0, 1) / 1000;
const NUMBERS_PER_SECOND: NumberMarks = { account: 1_000, business: 0 };
/** Protects the 2^40 account numbers from a clock that is wrong by decades. */
const CLOCK_NUMBER_MAX = 900_000_000_000;

/** Range to reserve for one kind. `leap`: numbers continue above `from`. */
export interface Reservation {
  from: number;
  until: number;
  leap: boolean;
}

/** Whether enough numbers of this kind are reserved for now. */
export function isWellAhead({ last, until }: NumberRange, kind: keyof NumberMarks): boolean {
  return until - last > RESERVED_AT_ONCE[kind] / 2;
}

/**
 * Decides which numbers to reserve next, so that none is issued twice.
 * @param outside the mark stored outside the database, if there is one
 */
export function decideReservation(
  kind: keyof NumberMarks,
  mark: DatabaseMark,
  outside: NumberMarks | undefined,
  random: () => number = Math.random,
): Reservation {
  const { from, until, last } = mark[kind];
  const top = Math.max(until, last, outside?.[kind] ?? 0);
  // Our mark is lower than the one outside, so this database is an older copy.
  const isOlder = outside !== undefined && outside[kind] > until;
  if (mark.holds === true && !isOlder && outside !== undefined) {
    return { from, until: top + RESERVED_AT_ONCE[kind], leap: false };
  }
  const start = leapFrom(top, kind, mark, { isMarkKept: outside !== undefined, random });
  return { from: start, until: start + RESERVED_AT_ONCE[kind], leap: true };
}

function leapFrom(
  top: number,
  kind: keyof NumberMarks,
  { holds, promotions, nowSeconds }: DatabaseMark,
  { isMarkKept, random }: { isMarkKept: boolean; random: () => number },
): number {
  // A new database: all numbers issued by a previous one are below the mark.
  if (holds === undefined) return top;
  const leap = (isMarkKept ? LEAP : LEAP_WITHOUT_MARK)[kind] + Math.floor(random() * RANDOM_LEAP[kind]);
  const ofClock = Math.floor((nowSeconds - CLOCK_START_SECONDS) * NUMBERS_PER_SECOND[kind]);
  return Math.max(top + leap, Math.min(ofClock, CLOCK_NUMBER_MAX)) + promotions * PROMOTION_LEAP[kind];
}
