import type { JobRecord, JobView, Rejection } from '../../import-jobs/index.ts';
import { causeOf, placeOf } from '../../import-jobs/results/cause.rules.ts';
import type { CauseView } from '../../import-jobs/results.schema.ts';
import { dateTimeText } from '../../platform/clock.ts';
import { count } from '../frame/cells.ts';
import { html, type Html } from '../frame/html.ts';

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
    `${importSupplier} ${key}: line ${count(line)} of the import job ${jobName ?? ''} (${jobId}) was rejected.`,
    ...errors.map(({ code, attr }) => causeText(causeOf(code, placeOf(attr)))),
  ]);
  return textPart([...new Set(texts)].join('\n\n'));
}

function textPart(text: string): Html {
  return html`<details>
    <summary>Text for the supplier</summary>
    <label for="supplier-text">Without personal data, to copy into an e-mail</label>
    <textarea id="supplier-text" rows="${ROWS}" readonly>${text}</textarea>
    <p><button class="quiet" type="button" data-copy="supplier-text" hidden>Copy</button></p>
  </details>`;
}

function supplierText(job: JobView, causes: readonly CauseView[], records: readonly JobRecord[]): string {
  const { accepted, succeeded, failed } = job.counts;
  const started = job.started_at === null ? '' : `, started ${dateTimeText(new Date(job.started_at))}`;
  const shown = causes.filter((one) => !one.is_warning).slice(0, CAUSES_MAX);
  return [
    `Import job ${job.name ?? ''} (${job.import_supplier}, ${job.kind}, ${job.goal}${started}), id ${job.job_id}`,
    `${count(accepted)} records: ${count(succeeded)} succeeded, ${count(failed)} failed.`,
    ...shown.map(causeText),
    records.length === 0 ? '' : ['Records:', ...records.map(recordText)].join('\n'),
  ]
    .filter(Boolean)
    .join('\n\n');
}

function causeText({ code, place, records, detail, remedy, example }: CauseView): string {
  const line = example.line === null ? '' : ` For example line ${count(example.line)}.`;
  const size = records === 0 ? '' : `: ${count(records)} ${records === 1 ? 'record' : 'records'}.${line}`;
  return [`${code} at ${place === 'non_field_errors' ? 'the whole record' : place}${size}`, detail, remedy].join('\n');
}

function recordText({ line, key, errors }: JobRecord): string {
  const faults = errors.map(({ code, attr, value }) => `${code} at ${attr}${value === null ? '' : ` (${value})`}`);
  return `line ${count(line)}${key === null ? '' : `, ${key}`}: ${faults.join('; ')}`;
}
