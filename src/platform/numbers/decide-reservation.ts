/** The upper bounds of the numbers that were ever reserved, as they are kept outside the database. */
export interface NumberMarks {
  account: number;
  business: number;
}

/** What the database knows of the numbers of one kind. */
export interface NumberRange {
  from: number;
  until: number;
  /** Given last. */
  last: number;
}

export interface DatabaseMark {
  account: NumberRange;
  business: NumberRange;
  /** The ranges were reserved by this database as it is now; undefined: it has never reserved any. */
  holds: boolean | undefined;
  /** The number of times that Postgres was promoted (restore to a moment, failover) since the ranges were reserved. */
  promotions: number;
  /** Time of the database's clock, in seconds since 1970. */
  nowSeconds: number;
}

/**
 * Numbers reserved together. Account numbers have 40 bits and the range lasts for half a minute of the fastest import;
 * business ids have 31 bits, and 10,000 of them last for some seconds of any import job, with some left for concurrent single calls.
 */
const RESERVED_AT_ONCE: NumberMarks = { account: 100_000, business: 10_000 };

/**
 * Minimum leap when this database may be older than it was. A random part is added: if Temporal was set back too, a second
 * leap from the same state must not lead to the same numbers.
 */
const LEAP: NumberMarks = { account: 10_000_000, business: 10_000 };
const RANDOM_LEAP: NumberMarks = { account: 100_000_000, business: 1_000_000 };
/** Minimum leap if the mark outside the database is lost: the database may be a backup that is weeks old. */
const LEAP_WITHOUT_MARK: NumberMarks = { account: 100_000_000, business: 1_000_000 };
/** Added for each promotion: more than the other leaps together, so that a restored timeline lies beyond the lost one. */
const PROMOTION_LEAP: NumberMarks = { account: 1_000_000_000, business: 3_000_000 };

/**
 * The clock is the only state that a snapshot of a whole machine does not reset. A leap therefore reaches at least the number that
 * corresponds to the clock: 1,000 account numbers a second. Business ids have too few bits for this.
 */
const CLOCK_START_SECONDS = Date.UTC(2026, 0, 1) / 1000;
const NUMBERS_PER_SECOND: NumberMarks = { account: 1_000, business: 0 };
/** A clock that is wrong by decades must not use up the 2^40 account numbers. */
const CLOCK_NUMBER_MAX = 900_000_000_000;

/** What to reserve of one kind; `leap`: numbers continue above `from`. */
export interface Reservation {
  from: number;
  until: number;
  leap: boolean;
}

/** Numbers of this kind can be given for a while: nothing has to be done. */
export function isWellAhead({ last, until }: NumberRange, kind: keyof NumberMarks): boolean {
  return until - last > RESERVED_AT_ONCE[kind] / 2;
}

/**
 * Decides which numbers come next, so that none is given twice.
 * @param outside the mark that is stored outside the database, if there is one
 */
export function decideReservation(
  kind: keyof NumberMarks,
  mark: DatabaseMark,
  outside: NumberMarks | undefined,
  random: () => number = Math.random,
): Reservation {
  const { from, until, last } = mark[kind];
  const top = Math.max(until, last, outside?.[kind] ?? 0);
  // A mark outside that is beyond ours was set by a database of which this is an older copy.
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
  // A new database: all numbers that another one gave before are below the mark.
  if (holds === undefined) return top;
  const leap = (isMarkKept ? LEAP : LEAP_WITHOUT_MARK)[kind] + Math.floor(random() * RANDOM_LEAP[kind]);
  const ofClock = Math.floor((nowSeconds - CLOCK_START_SECONDS) * NUMBERS_PER_SECOND[kind]);
  return Math.max(top + leap, Math.min(ofClock, CLOCK_NUMBER_MAX)) + promotions * PROMOTION_LEAP[kind];
}
