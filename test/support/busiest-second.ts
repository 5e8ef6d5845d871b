/** Times recorded by a network operator's own clock, in milliseconds. */
export interface CallReport {
  calls: number[];
  /** Periods in which the network operator itself was delayed and recorded wrong times. */
  late: [from: number, to: number][];
}

/** A call that was recorded at the end of a delay may have arrived at its start. */
const READ_AFTER_MS = 10;

/** The highest number of calls that certainly arrived within a second. */
export function busiestSecond({ calls, late }: CallReport): number {
  const soonest = calls.map((at) => late.find(([begin, end]) => at >= begin && at <= end + READ_AFTER_MS)?.[0] ?? at);
  let most = 0;
  for (let from = 0, to = 0; to < calls.length; to += 1) {
    while (calls[to]! - soonest[from]! >= 1_000) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most;
}
