import type { JobRecord, JobView, Rejection } from '../../import-jobs/index.ts';
import { causeOf, placeOf } from '../../import-jobs/results/cause.rules.ts';
import type { CauseView } from '../../import-jobs/results.schema.ts';
import { recordsText } from '../frame/cells.ts';
import { html, type Html } from '../frame/html.ts';
import { dateTime, t, translated } from '../frame/language.ts';

const CAUSES_MAX = 20;
const ROWS = 12;

/** A text about failed records that a person can copy for the supplier, without personal data. @param records listed one by one, if given */
export function supplierTextPart(job: JobView, causes: readonly CauseView[], records: readonly JobRecord[] = []): Html {
  return textPart(supplierText(job, causes, records));
}

/** The same about one rejected record, as the newest of the jobs reports it. */
export function rejectionTextPart(rejections: readonly Rejection[]): Html {
  const [newest] = rejections;
  const records = rejections.filter(({ jobId }) => jobId === newest?.jobId);
  const texts = records.flatMap(({ jobId, jobName, importSupplier, key, line, errors }) => [
    t('{record}: line {line} of the import job {job} was rejected.', {
      record: `${importSupplier} ${key}`,
      line,
      job: `${jobName ?? ''} (${jobId})`,
    }),
    ...errors.map(({ code, attr }) => causeText(causeOf(code, placeOf(attr)))),
  ]);
  return textPart([...new Set(texts)].join('\n\n'));
}

function textPart(text: string): Html {
  return html`<details>
    <summary>${t('Text for the supplier')}</summary>
    <label for="supplier-text">${t('Without personal data, to copy into an e-mail')}</label>
    <textarea id="supplier-text" rows="${ROWS}" readonly>${text}</textarea>
    <p>
      <button class="quiet" type="button" data-copy="supplier-text" data-copied="${t('Copied')}" hidden>
        ${t('Copy')}
      </button>
    </p>
  </details>`;
}

function supplierText(job: JobView, causes: readonly CauseView[], records: readonly JobRecord[]): string {
  const { accepted, succeeded, failed } = job.counts;
  const started = job.started_at !== null && t('started {time}', { time: dateTime(new Date(job.started_at)) });
  const about = [job.import_supplier, job.kind, job.goal, started].filter(Boolean).join(', ');
  const shown = causes.filter((one) => !one.is_warning).slice(0, CAUSES_MAX);
  return [
    t('Import job {job} ({about}), id {id}', { job: job.name ?? '', about, id: job.job_id }),
    t('{count} records: {succeeded} succeeded, {failed} failed.', { count: accepted, succeeded, failed }),
    ...shown.map(causeText),
    records.length === 0 ? '' : [t('Records:'), ...records.map(recordText)].join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function causeText({ code, place, records, detail, remedy, example }: CauseView): string {
  const line = example.line === null ? '' : ` ${t('For example line {line}.', { line: example.line })}`;
  const name = t('{code} at {place}', { code, place: place === 'non_field_errors' ? t('the whole record') : place });
  const head = records === 0 ? name : `${t('{name}: {value}', { name, value: recordsText(records) })}.${line}`;
  return [head, translated(detail), translated(remedy)].join('\n');
}

function recordText({ line, key, errors }: JobRecord): string {
  const faults = errors.map(
    ({ code, attr, value }) => `${t('{code} at {place}', { code, place: attr })}${value === null ? '' : ` (${value})`}`,
  );
  const name = `${t('line {line}', { line })}${key === null ? '' : `, ${key}`}`;
  return t('{name}: {value}', { name, value: faults.join('; ') });
}
