import { lineFaultSentences } from '../../vocabulary/import-jobs.ts';
import { refusals } from '../../vocabulary/refusals.ts';
import { pageOfCode, remedyOf } from '../../vocabulary/remedies.ts';
import { tableOf } from '../../foundation/table.ts';
import { NON_FIELD_ERRORS, violationSentences } from '../../vocabulary/violations.ts';
import { warningSentences } from '../../vocabulary/warnings.ts';
import type { CauseView } from './results.schema.ts';
import { exampleValue } from './example-value.rules.ts';
import type { LineOutcome } from '../work-off/line-kind.rules.ts';

/** An error or a warning of a line in results: a violation, or a refusal that concerns no field. */
export interface LineFault {
  detail: string;
  code: string;
  attr: string;
}

/** A line whose errors and warnings are counted. */
export interface LineToCount {
  line: number;
  outcome: LineOutcome;
  /** The parsed line, if available: the example value is read from it. */
  body?: unknown;
}

/** How many records have a code at a place. */
export interface CountedCause {
  code: string;
  place: string;
  isWarning: boolean;
  /** Lines with this cause. */
  records: number;
  /** Lines with no other error, which are accepted once this one is corrected. */
  alone: number;
  exampleLine: number;
  exampleValue: string | null;
}

/** Possible member names; other path segments come from the sender and may contain anything. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

/**
 * The place of an error, the same for all records: list indexes become `*`.
 * @param attr path to the input, as in a violation
 */
export function placeOf(attr: string): string {
  return attr
    .split('.')
    .map((segment) => {
      if (/^\d+$/.test(segment)) return '*';
      return NAME.test(segment) ? segment : '?';
    })
    .join('.');
}

/** The errors of an outcome; empty unless the line failed. */
export function faultsOf(outcome: LineOutcome): LineFault[] {
  if (outcome.kind === 'quarantined') {
    return [{ detail: lineFaultSentences.quarantined, code: 'quarantined', attr: NON_FIELD_ERRORS }];
  }
  if (outcome.kind !== 'failed') return [];
  if (outcome.errors.length > 0) return [...outcome.errors];
  const { code } = outcome;
  const detail = code === 'duplicate_in_job' ? lineFaultSentences[code] : refusals[code].sentence;
  return [{ detail: outcome.detail ?? detail, code, attr: NON_FIELD_ERRORS }];
}

/** Counts the errors and warnings of lines, each once per line. @returns them by code and place, sorted */
export function countCauses(lines: readonly LineToCount[]): CountedCause[] {
  const counted = new Map<string, CountedCause>();
  for (const line of lines) {
    const ofLine = [
      ...onePerPlace(faultsOf(line.outcome)).map((fault) => ({ ...fault, isWarning: false })),
      ...onePerPlace(line.outcome.warnings ?? []).map((warning) => ({ ...warning, isWarning: true })),
    ];
    const isAlone = ofLine.filter(({ isWarning }) => !isWarning).length === 1;
    for (const { code, attr, place, isWarning } of ofLine) {
      const key = JSON.stringify([code, place, isWarning]);
      const cause = counted.get(key) ?? {
        code,
        place,
        isWarning,
        records: 0,
        alone: 0,
        exampleLine: line.line,
        exampleValue: exampleValue(line.body, attr),
      };
      counted.set(key, cause);
      cause.records += 1;
      if (isAlone && !isWarning) cause.alone += 1;
    }
  }
  const inOrder = [...counted].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return inOrder.map(([, cause]) => cause);
}

/** The first error of each code and place. */
function onePerPlace(
  found: readonly Pick<LineFault, 'code' | 'attr'>[],
): { code: string; attr: string; place: string }[] {
  const first = new Map<string, { code: string; attr: string; place: string }>();
  for (const { code, attr } of found) {
    const place = placeOf(attr);
    const key = `${code} ${place}`;
    if (!first.has(key)) first.set(key, { code, attr, place });
  }
  return [...first.values()];
}

const SENTENCES = tableOf({
  ...Object.fromEntries(Object.entries(refusals).map(([code, { sentence }]) => [code, sentence])),
  ...violationSentences,
  ...warningSentences,
  ...lineFaultSentences,
});

function sentenceOf(code: string): string {
  return SENTENCES.get(code) ?? '';
}

export function causeView(cause: Omit<CountedCause, 'exampleLine'> & { exampleLine: number | null }): CauseView {
  const { code, place, isWarning, records, alone, exampleLine, exampleValue: value } = cause;
  return {
    code,
    place,
    is_warning: isWarning,
    records,
    alone,
    example: { line: exampleLine, value },
    detail: sentenceOf(code),
    remedy: remedyOf(code),
    page: pageOfCode(code),
  };
}
