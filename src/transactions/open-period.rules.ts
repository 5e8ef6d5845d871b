/** The days of the statement that is still open, both inclusive; `from` is null where nothing was ever billed. */
export interface OpenPeriod {
  from: string | null;
  to: string;
}

/**
 * The open statement period: from the day after the last billed one until today, at least today. Days are `YYYY-MM-DD`, which compare
 * as text.
 */
export function openStatementPeriod(facts: {
  lastBilledToDate: string | null;
  lastStatementEnd: string | null;
  today: string;
}): OpenPeriod {
  const billedTo = [facts.lastBilledToDate, facts.lastStatementEnd].reduce((one, other) =>
    (one ?? '') > (other ?? '') ? one : other,
  );
  if (billedTo === null) return { from: null, to: facts.today };
  const from = dayAfter(billedTo);
  return { from: from > facts.today ? facts.today : from, to: facts.today };
}

/** The day itself if it lies in the period, else the nearest one that does. */
export function nearestDayInside(period: OpenPeriod, day: string): string {
  if (day > period.to) return period.to;
  return period.from !== null && day < period.from ? period.from : day;
}

/** The calendar day after a day. */
export function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 10);
}

/** The period in words. */
export function describePeriod({ from, to }: OpenPeriod): string {
  if (from === to) return `the open statement period, which is ${to} alone`;
  return from === null
    ? `the open statement period, which ends on ${to}`
    : `the open statement period, ${from} to ${to}`;
}
