import { dayOf } from '../vocabulary/loose-payload.ts';
import { violation, type Path, type Violation } from '../vocabulary/violations.ts';

/** Days after today up to which something may have been billed: a year in advance, leap years included. */
const DAYS_AHEAD_MAX = 366;
const DAY_MS = 86_400_000;

/** How a day up to which was billed lies to today; `ahead` is let through. */
type BilledAhead = 'not' | 'ahead' | 'too-far';

/** The last day up to which something may have been billed. Days are `YYYY-MM-DD`, which compare as text. */
function lastBilledDayTaken(today: string): string {
  return new Date(Date.parse(today) + DAYS_AHEAD_MAX * DAY_MS).toISOString().slice(0, 10);
}

/** Validates a day up to which the account is billed. Malformed days are ignored. */
function judgeBilledAhead(sent: unknown, facts: { today: string; lastDayTaken: string }): BilledAhead {
  const day = dayOf(sent);
  if (day <= facts.today) return 'not';
  return day > facts.lastDayTaken ? 'too-far' : 'ahead';
}

/**
 * Refuses days up to which was billed that lie too far ahead: the open statement period begins after them, so a wrong year would
 * move the dates of all later transactions for years.
 */
export function findFarAheadViolations(days: Iterable<{ day: unknown; path: Path }>, today: string): Violation[] {
  const found: Violation[] = [];
  let lastDayTaken: string | undefined;
  for (const { day, path } of days) {
    if (typeof day !== 'string' || day <= today) continue;
    lastDayTaken ??= lastBilledDayTaken(today);
    if (judgeBilledAhead(day, { today, lastDayTaken }) !== 'too-far') continue;
    found.push(
      violation(
        'date_too_far_ahead',
        path,
        `The day lies more than ${DAYS_AHEAD_MAX} days after today; the latest one that is taken is ${lastDayTaken}.`,
      ),
    );
  }
  return found;
}
