import { type Loose, dayOf, listOf, membersIn, textOf } from '../vocabulary/loose-payload.ts';
import { type Path, type Violation, type ViolationCode, violation } from '../vocabulary/violations.ts';
import type { CreateStatementsRequest } from './create-statements.schema.ts';

/**
 * Validates a list of statements: their periods, whose days are inclusive and may be equal, and unique ids.
 * @param doubled the code for a repeated id, reported at the later statement
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

/** The last days of the periods of statements, with their paths. */
export function* statementEnds(statements: readonly unknown[]): Generator<{ day: unknown; path: Path }> {
  for (const [index, item] of statements.entries()) {
    yield { day: membersIn(item)['bill_period_to_date'], path: ['statements', index, 'bill_period_to_date'] };
  }
}

/** Returns a violation for each statement whose id the account, or an earlier statement of the request, already has. */
export function knownStatementViolations(indexes: readonly number[]): Violation[] {
  return indexes.map((index) =>
    violation('historical_statement_already_exists', ['statements', index, 'statement_id']),
  );
}

/** The documents of a list of statements, with their paths in the payload. */
export function statementDocumentPositions(
  statements: readonly { statement_path?: string }[],
  path: Path,
): { path: Path; documentPath: string }[] {
  return statements.flatMap(({ statement_path: documentPath }, index) =>
    documentPath ? [{ path: [...path, index, 'statement_path'], documentPath }] : [],
  );
}

/** Most days after today that may already be billed: a year in advance, including leap years. */
const DAYS_AHEAD_MAX = 366;
const DAY_MS = 86_400_000;

/** Compares a last billed day with today; `ahead` is accepted. */
type BilledAhead = 'not' | 'ahead' | 'too-far';

/** The latest accepted last billed day. Dates are `YYYY-MM-DD` strings, which compare as text. */
function lastBilledDayAccepted(today: string): string {
  return new Date(Date.parse(today) + DAYS_AHEAD_MAX * DAY_MS).toISOString().slice(0, 10);
}

/** Compares a last billed day with today. A malformed day counts as `not`. */
function validateBilledAhead(sent: unknown, facts: { today: string; lastDayAccepted: string }): BilledAhead {
  const day = dayOf(sent);
  if (day <= facts.today) return 'not';
  return day > facts.lastDayAccepted ? 'too-far' : 'ahead';
}

/**
 * Rejects last billed days that are too far ahead. The open statement period starts after them, so a wrong year would move the dates of all
 * later transactions by years.
 */
export function findFarAheadViolations(days: Iterable<{ day: unknown; path: Path }>, today: string): Violation[] {
  const found: Violation[] = [];
  let lastDayAccepted: string | undefined;
  for (const { day, path } of days) {
    if (typeof day !== 'string' || day <= today) continue;
    lastDayAccepted ??= lastBilledDayAccepted(today);
    if (validateBilledAhead(day, { today, lastDayAccepted }) !== 'too-far') continue;
    found.push(
      violation(
        'date_too_far_ahead',
        path,
        `The date is more than ${DAYS_AHEAD_MAX} days after today. The latest accepted date is ${lastDayAccepted}.`,
      ),
    );
  }
  return found;
}
