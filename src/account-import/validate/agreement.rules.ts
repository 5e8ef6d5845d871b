import { dayOf, isAbsent, listOf, membersIn } from '../../vocabulary/loose-payload.ts';
import { violation, type Path, type Violation } from '../../vocabulary/violations.ts';

/** Later than every day: the end of an agreement that is open. */
const OPEN_END = '9999-12-31';

interface Period {
  index: number;
  from: string;
  /** Exclusive. */
  to: string;
}

/**
 * Validates the agreements of one supply point: each ends after it begins, and none overlap. Gaps are accepted.
 * @param pointPath of the supply point
 */
export function checkAgreements(agreements: unknown, pointPath: Path, found: Violation[]): void {
  const periods: Period[] = [];
  for (const [index, item] of listOf(agreements).entries()) {
    const agreement = membersIn(item);
    const from = dayOf(agreement['effective_from']);
    const to = isAbsent(agreement['effective_to']) ? OPEN_END : dayOf(agreement['effective_to']);
    if (from === '' || to === '') continue;
    if (from > to) {
      found.push(violation('start_date_later_than_end_date', [...pointPath, 'agreements', index, 'effective_to']));
    } else if (from === to) {
      found.push(violation('start_date_same_as_end_date', [...pointPath, 'agreements', index, 'effective_to']));
    } else periods.push({ index, from, to });
  }
  checkOverlaps(periods, pointPath, found);
}

/** Goes through the periods by their first day and compares each with the furthest end so far. */
function checkOverlaps(periods: Period[], pointPath: Path, found: Violation[]): void {
  if (periods.length < 2) return;
  periods.sort((one, other) => (one.from < other.from ? -1 : one.from > other.from ? 1 : one.index - other.index));
  let coveredTo = '';
  for (const { index, from, to } of periods) {
    if (from < coveredTo) {
      found.push(
        violation('gaps_or_overlaps_in_agreement_dates', [...pointPath, 'agreements', index, 'effective_from']),
      );
    }
    if (to > coveredTo) coveredTo = to;
  }
}
