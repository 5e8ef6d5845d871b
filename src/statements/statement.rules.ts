import { type Loose, dayOf, listOf, membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { type Path, type Violation, type ViolationCode, violation } from '../vocabulary/violations.ts';
import type { CreateStatementsRequest } from './create-statements.schema.ts';

/**
 * Validates a list of statements: both days of a bill's period are inclusive, so they may be equal; each id occurs once.
 * @param doubled the code for an id that occurs more than once, reported at the later one
 */
export function findStatementListViolations(
  statements: readonly unknown[],
  path: Path,
  doubled: ViolationCode,
): Violation[] {
  const found: Violation[] = [];
  const ids = new Set<string>();
  for (const [index, item] of statements.entries()) {
    const { bill_period_from_date: from, bill_period_to_date: to, statement_id: sentId } = membersIn(item);
    if (dayOf(to) !== '' && dayOf(from) > dayOf(to)) {
      found.push(violation('start_date_later_than_end_date', [...path, index, 'bill_period_to_date']));
    }
    const id = textOf(sentId);
    if (id !== '' && ids.has(id)) found.push(violation(doubled, [...path, index, 'statement_id']));
    ids.add(id);
  }
  return found;
}

/** The cross-field rules of operation 6. */
export function findStatementViolations(request: CreateStatementsRequest, facts: { today: string }): Violation[] {
  const statements = listOf((request as Loose)['statements']);
  return [
    ...findStatementListViolations(statements, ['statements'], 'historical_statement_already_exists'),
    ...findFarAheadViolations(statementEnds(statements), facts.today),
  ];
}

/** The last days of the periods of statements, with their places. */
export function* statementEnds(statements: readonly unknown[]): Generator<{ day: unknown; path: Path }> {
  for (const [index, item] of statements.entries()) {
    yield { day: membersIn(item)['bill_period_to_date'], path: ['statements', index, 'bill_period_to_date'] };
  }
}

/** Names the statements whose id the account has already, or an earlier one of the request. */
export function knownStatementViolations(indexes: readonly number[]): Violation[] {
  return indexes.map((index) =>
    violation('historical_statement_already_exists', ['statements', index, 'statement_id']),
  );
}

/** The places of documents in a list of statements. */
export function statementDocumentPlaces(
  statements: readonly { statement_path?: string }[],
  path: Path,
): { path: Path; documentPath: string }[] {
  return statements.flatMap(({ statement_path: documentPath }, index) =>
    documentPath ? [{ path: [...path, index, 'statement_path'], documentPath }] : [],
  );
}

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
