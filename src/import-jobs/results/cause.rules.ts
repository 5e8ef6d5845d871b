import { lineFaultSentences } from '../../vocabulary/import-jobs.ts';
import { refusals } from '../../vocabulary/refusals.ts';
import { pageOfCode, remedyOf } from '../../vocabulary/remedies.ts';
import { tableOf } from '../../foundation/table.ts';
import { NON_FIELD_ERRORS, violationSentences } from '../../vocabulary/violations.ts';
import { warningSentences } from '../../vocabulary/warnings.ts';
import type { CauseView } from '../results.schema.ts';
import type { FinishedLine, LineOutcome } from '../work-off/line-kind.rules.ts';
import { isJsonObject, listOf } from '../../vocabulary/loose-payload.ts';

/** An error or a warning of a line in results: a violation, or a refusal that concerns no field. */
export interface LineFault {
  detail: string;
  code: string;
  attr: string;
}

/** A code at a place of the record, with the number of records that have it. */
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

/** Valid member names; other path segments come from the sender and may contain anything. */
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
  if (outcome.kind === 'quarantined') return faultsOf({ kind: 'failed', code: 'quarantined', errors: [] });
  if (outcome.kind !== 'failed') return [];
  if (outcome.errors.length > 0) return [...outcome.errors];
  const { code } = outcome;
  const sentence =
    code === 'duplicate_in_job' || code === 'quarantined' ? lineFaultSentences[code] : refusals[code].sentence;
  return [{ detail: outcome.detail ?? sentence, code, attr: NON_FIELD_ERRORS }];
}

/** Counts the errors and warnings of lines, each once per line. @returns them by code and place, sorted */
export function countCauses(lines: readonly FinishedLine[]): CountedCause[] {
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
  ...lineFaultSentences,
});
const WARNING_SENTENCES = tableOf<string>(warningSentences);

/** A code such as `unknown_member` may be a violation or a warning, with different meanings. */
function sentenceOf(code: string, isWarning: boolean): string {
  return (isWarning ? WARNING_SENTENCES : SENTENCES).get(code) ?? '';
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
    detail: sentenceOf(code, isWarning),
    remedy: remedyOf(code, isWarning),
    page: pageOfCode(code),
  };
}

/** A cause that no record has. */
export function causeOf(code: string, place: string): CauseView {
  const none = { isWarning: false, records: 0, alone: 0, exampleLine: null, exampleValue: null };
  return causeView({ code, place, ...none });
}

/**
 * Fields whose value may be shown as an example and stored after the lines are deleted: codes, kinds, dates of contracts and counts.
 * Names, addresses, contact data and payment data of persons are excluded.
 */
const SHOWN = new Set([
  'account_type',
  'agreed_at',
  'applicable_at_date',
  'band',
  'bill_period_from_date',
  'bill_period_to_date',
  'billing_frequency',
  'business_type',
  'characteristic_code',
  'created_at',
  'day_of_month',
  'days',
  'effective_from',
  'effective_to',
  'end_date',
  'fee_type',
  'frequency',
  'guarantee_of_origin_percentage',
  'import_supplier',
  'import_supplier_code',
  'is_eligible',
  'is_pinned',
  'is_variable',
  'issued_date',
  'last_billed_to_date',
  'ledger_code',
  'means',
  'multiplier',
  'payment_type',
  'pays_by_direct_debit',
  'period_start_day',
  'period_start_month',
  'product_code',
  'protection_from',
  'protection_to',
  'rate_band',
  'rate_group_code',
  'reason',
  'sales_channel',
  'sales_subchannel',
  'signed_at_date',
  'slug',
  'source',
  'start_date',
  'status',
  'strategy',
  'supply_start_date',
  'supply_type',
  'tariff_code',
  'tax_type',
  'term_type',
  'transaction_date',
  'type',
  'unit_type',
  'unknown_occupier',
  'unpin_at',
  'valid_from',
  'valid_from_date',
  'valid_to',
  'vendor',
  'vendor_name',
]);

const LENGTH_MAX = 40;
/** One word, like a code or a date. Excludes full names, addresses and sentences in the wrong column. */
const ONE_WORD = /^[A-Za-z0-9_.:/+-]*$/;
/** Numbers of supply points, companies, phones and cards have seven or more digits in a row. */
const LONG_NUMBER = /\d{7}/;

/** Whether the value of a field is shown, if it looks like a code or a date. */
export function mayBeShown(attr: string): boolean {
  return SHOWN.has(attr.split('.').at(-1)!);
}

/**
 * The value at a path of a line.
 * @param attr the path, as in a violation
 * @returns null if the field or the value may be personal data
 */
export function exampleValue(body: unknown, attr: string): string | null {
  if (!mayBeShown(attr)) return null;
  const segments = attr.split('.');
  let value: unknown = body;
  for (const segment of segments) {
    if (Array.isArray(value)) value = listOf(value)[Number(segment)];
    else if (isJsonObject(value) && Object.hasOwn(value, segment)) value = value[segment];
    else return null;
  }
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return null;
  const text = String(value);
  return text.length <= LENGTH_MAX && ONE_WORD.test(text) && !LONG_NUMBER.test(text) ? text : null;
}
