import type { JobView } from '../../import-jobs/index.ts';
import type { CauseView } from '../../import-jobs/results.schema.ts';
import { badge, code, count, link, linkAway } from '../frame/cells.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import type { PageRequest } from '../frame/page.ts';
import { nothing, table, type Column } from '../frame/parts.ts';
import { accountPath } from '../frame/paths.ts';
import { adviceOnFault, forwardAdvice } from '../frame/site-advice.rules.ts';
import { placeName, recordsPath } from './job-records.page.ts';

/** The records that causes belong to. */
interface CausesOf {
  /** Of accounts that an example names. */
  supplier: string;
  /** The job that was counted; undefined for staged accounts. */
  jobId?: string;
  /** The sentence without causes. */
  empty: string;
}

/** The causes of a job, as a table. */
export function jobCauses(
  { job_id: jobId, import_supplier: supplier }: JobView,
  causes: readonly CauseView[],
  request: PageRequest,
): Html {
  return causesTable(causes, request, { supplier, jobId, empty: t('No record failed or has a warning.') });
}

/** Causes as a table, the one that blocks most records first. */
export function causesTable(causes: readonly CauseView[], request: PageRequest, of: CausesOf): Html {
  if (causes.length === 0) return nothing(of.empty);
  const alone = html`<abbr title="${t('Records that have no other cause, so that correcting this one is enough')}"
    >${t('Only cause')}</abbr
  >`;
  return html`${fittingTable(t('Causes'), causes, [
      [t('Cause'), (one) => causeCell(one, request, exampleOf(one, of.supplier))],
      [t('Records'), (one) => recordsOf(one, of.jobId), 'number'],
      [alone, (one) => (one.is_warning ? '–' : count(one.alone)), 'number'],
    ])}
    <p class="fine">${t(forwardAdvice(request))}</p>`;
}

/** A table that never scrolls sideways: its texts wrap at any width. */
export function fittingTable<Row>(label: string, rows: readonly Row[], columns: readonly (Column<Row> | false)[]) {
  return html`<div class="fits">${table(label, rows, columns)}</div>`;
}

/** A cause with its field, its sentence and what to do. */
export function causeCell(
  one: Pick<CauseView, 'code' | 'place' | 'page' | 'detail' | 'is_warning'>,
  request: PageRequest,
  example?: Part,
): Html {
  const advice = adviceOnFault(one.code, request);
  return html`<p>
      ${linkAway(request.apiAddress(one.page), badge(one.code, one.is_warning ? 'warn' : 'bad'))}
      ${placeName(one.place)}
    </p>
    <p>${translated(one.detail)}</p>
    ${(advice ?? example) !== undefined && html`<p class="fine">${advice && t(advice)} ${example}</p>`}`;
}

/** The number of records, with a link to their list where they failed in a job. */
function recordsOf({ code: cause, place, records, is_warning: isWarning }: CauseView, jobId: string | undefined): Part {
  if (jobId === undefined || isWarning || place === '*') return count(records);
  return link(recordsPath(jobId, 'failed', { code: cause, place }), count(records));
}

/** The example of a cause: its line or account, and its value. */
export function exampleOf({ example }: Pick<CauseView, 'example'>, supplier: string): Html {
  const { line, value, external_account_number: number } = example;
  const record = html`${line !== null && t('line {line}', { line })}${number !== undefined && link(accountPath(supplier, number), code(number))}`;
  return html`${value === null ? t('Example: {record}.', { record }) : t('Example: {record}, value {value}.', { record, value: code(value) })}`;
}
