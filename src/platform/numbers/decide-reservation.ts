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
}

/**
 * So many are reserved at once. Account numbers have 40 bits and the range lasts for half a minute of the fastest import;
 * business ids have 31 bits, and 10,000 of them last for some seconds of any import job; a single call beside it must find some left.
 */
const RESERVED_AT_ONCE: NumberMarks = { account: 100_000, business: 10_000 };

/**
 * How far numbers leap when this database may be older than it was. The mark outside the database says where to go on, unless
 * that is older too, as when a whole machine was set back: this many numbers may then have been given since.
 */
const LEAP: NumberMarks = { account: 10_000_000, business: 10_000 };
/** When the mark outside is lost: nothing is known but what the database says, which may be a backup of weeks ago. */
const LEAP_WITHOUT_MARK: NumberMarks = { account: 100_000_000, business: 1_000_000 };

/** What is to be reserved of one kind; `leap`: numbers go on above `from`. */
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
 * @param outside the mark that is kept outside the database; undefined: there is none
 */
export function decideReservation(
  kind: keyof NumberMarks,
  mark: DatabaseMark,
  outside: NumberMarks | undefined,
): Reservation {
  const { from, until, last } = mark[kind];
  const top = Math.max(until, last, outside?.[kind] ?? 0);
  // A mark outside that is beyond ours was set by a database of which this is an older copy.
  const isOlder = outside !== undefined && outside[kind] > until;
  if (mark.holds === true && !isOlder && outside !== undefined) {
    return { from, until: top + RESERVED_AT_ONCE[kind], leap: false };
  }
  const start = top + leapOf(mark, outside)[kind];
  return { from: start, until: start + RESERVED_AT_ONCE[kind], leap: true };
}

function leapOf({ holds }: DatabaseMark, outside: NumberMarks | undefined): NumberMarks {
  // A new database: whatever was given before, by another one, lies below the mark.
  if (holds === undefined) return { account: 0, business: 0 };
  return outside === undefined ? LEAP_WITHOUT_MARK : LEAP;
}
