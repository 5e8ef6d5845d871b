/** What a network operator counted by its own clock, in milliseconds: when calls came, and when it was late itself. */
export interface CallReport {
  calls: number[];
  /** When the network operator was late itself, and counts wrong. */
  late: [from: number, to: number][];
}

/** A call read at the end of a time in which the network operator was late may have come at its beginning. */
const READ_AFTER_MS = 10;

/** Most calls that came within a second for certain. */
export function busiestSecond({ calls, late }: CallReport): number {
  const soonest = calls.map((at) => late.find(([begin, end]) => at >= begin && at <= end + READ_AFTER_MS)?.[0] ?? at);
  let most = 0;
  for (let from = 0, to = 0; to < calls.length; to += 1) {
    while (calls[to]! - soonest[from]! >= 1_000) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}
