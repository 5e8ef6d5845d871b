import { lineFaultSentences, type LineFaultCode } from '../vocabulary/import-jobs.ts';
import { lineFaultRemedies, refusalRemedies, violationRemedies, warningRemedies } from '../vocabulary/remedies.ts';
import { refusals, type RefusalCode, type RefusalEntry } from '../vocabulary/refusals.ts';
import { violationSentences, type ViolationCode } from '../vocabulary/violations.ts';
import { warningSentences, type WarningCode } from '../vocabulary/warnings.ts';
import { notAskedSentences, reasonSentences } from '../vocabulary/reconciliation.ts';
import { eventTypes } from '../vocabulary/events.ts';
import { code as asCode, table } from './markdown.ts';

const sendAgain: Record<RefusalEntry['retry'], string> = {
  never: 'no',
  'after-correction': 'corrected',
  'same-request': 'the same',
  later: 'the same, later',
};

/** Every refusal: status, meaning, remedy, whether to send the request again, and the page that says more. */
export function refusalTable(): string {
  const rows = (Object.entries(refusals) as [RefusalCode, RefusalEntry][])
    .toSorted(([, one], [, other]) => one.status - other.status)
    .map(([code, { status, sentence, retry, page }]) => [
      asCode(code),
      `${status}`,
      sentence,
      [refusalRemedies[code] ?? '', page === undefined ? '' : `[More](${fromSuppliers(page)})`]
        .filter(Boolean)
        .join(' '),
      sendAgain[retry],
    ]);
  return table(['code', 'status', 'meaning', 'what to do', 'send again'], rows);
}

/** Every reason that stored data may have to differ from what was accepted. */
export function differenceReasonTable(): string {
  return table(
    ['reason', 'meaning'],
    Object.entries(reasonSentences).map(([reason, sentence]) => [asCode(reason), sentence]),
  );
}

/** Every reason for which a payment vendor is not asked about an instruction. */
export function notAskedTable(): string {
  return table(
    ['reason', 'meaning'],
    Object.entries(notAskedSentences).map(([reason, sentence]) => [asCode(reason), sentence]),
  );
}

/** Every type of event. */
export function eventTypeTable(): string {
  return table(
    ['type', 'what has happened'],
    Object.entries(eventTypes).map(([type, sentence]) => [asCode(type), sentence]),
  );
}

/** Every fault of a field: meaning and remedy. */
export function violationTable(): string {
  return table(['code', 'meaning', 'what to do'], codeRows(violationSentences, violationRemedies));
}

/** Every warning: meaning and remedy. */
export function warningTable(): string {
  return table(['code', 'meaning', 'what to do'], codeRows(warningSentences, warningRemedies));
}

/** What a line of an import job alone can fail of: meaning and remedy. */
export function lineFaultTable(): string {
  return table(['code', 'meaning', 'what to do'], codeRows(lineFaultSentences, lineFaultRemedies));
}

function codeRows<Code extends ViolationCode | WarningCode | LineFaultCode>(
  sentences: Readonly<Record<Code, string>>,
  remedies: Readonly<Partial<Record<Code, string>>>,
): string[][] {
  return (Object.keys(sentences) as Code[]).map((code) => [asCode(code), sentences[code], remedies[code] ?? '']);
}

/** The tables of codes stand in docs/suppliers. */
function fromSuppliers(page: string): string {
  return page.replace(/^docs\/suppliers\//, '').replace(/^docs\//, '../');
}
