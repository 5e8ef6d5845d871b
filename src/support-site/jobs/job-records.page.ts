import {
  countMissing,
  readAllRecords,
  readJob,
  readRecords,
  type JobRecord,
  type JobView,
  type Rejection,
  type WantedRecords,
} from '../../import-jobs/index.ts';
import { causeOf, placeOf } from '../../import-jobs/results/cause.rules.ts';
import { csvHead, csvLine } from '../../foundation/csv.ts';
import { pageOfCode } from '../../vocabulary/remedies.ts';
import { badge, code, count, link, linkAway, moment } from '../frame/cells.ts';
import { nextPage, table } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { accepted, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, FIND, jobPath } from '../frame/paths.ts';
import { rejectionTextPart, supplierTextPart } from './supplier-text.ts';

const PAGE_SIZE = 50;
const TITLES = { succeeded: 'Succeeded records', failed: 'Failed records' } as const;
const ALL = { succeeded: 'All succeeded records', failed: 'All failed records' } as const;
type Outcome = keyof typeof TITLES;

/** The records of a job by outcome, without personal data of the uploaded lines: as pages, as a file, and how many are still missing. */
export const jobRecordPages = [
  ...(['succeeded', 'failed'] as const).map((outcome) =>
    page(`/jobs/:job/records/${outcome}`, (request) => showRecords(request, outcome)),
  ),
  page('/jobs/:job/records/failed.csv', sendFailed, { isLong: true }),
  page('/jobs/:job/missing', showMissing, { isLong: true }),
];

interface RecordsFilter {
  code?: string | null;
  place?: string | null;
  /** `yes` for accounts that are still missing. */
  missing?: string | null;
  after?: string;
}

/** Path of the records of a job, optionally only those with one cause. */
export function recordsPath(jobId: string, outcome: Outcome, filter: RecordsFilter = {}): string {
  return addressOf(`${jobPath(jobId)}/records/${outcome}`, { ...filter });
}

async function findJob(request: PageRequest): Promise<JobView> {
  return accepted(await readJob(request.database, request, { viewer: undefined, causesMax: 0 })).job;
}

function filterIn({ query }: PageRequest, outcome: Outcome): { filter: RecordsFilter; wanted: WantedRecords } {
  const [cause, place, missing] = [query.get('code'), query.get('place'), query.get('missing')];
  const wanted = { outcome, cause: cause ? { code: cause, place: place || undefined } : undefined };
  return { filter: { code: cause, place, missing }, wanted: { ...wanted, isMissing: missing === 'yes' } };
}

async function showRecords(request: PageRequest, outcome: Outcome): Promise<PageAnswer> {
  const job = await findJob(request);
  const { filter, wanted } = filterIn(request, outcome);
  const from = request.query.get('after') ?? '';
  const after = /^\d{1,9}$/.test(from) ? Number(from) : 0;
  const { records, next } = await readRecords(request.lists, job, { ...wanted, after, limit: PAGE_SIZE });
  const { code: cause, place } = filter;
  const title = t(wanted.isMissing === true ? 'Missing records' : TITLES[outcome]);
  const isNarrowed = Boolean(cause) || wanted.isMissing === true;
  const isFailed = outcome === 'failed';
  const body = html`<p class="row">
      ${link(jobPath(job.job_id), t('Back to the job'))}
      ${isNarrowed && link(recordsPath(job.job_id, outcome), t(ALL[outcome]))}
      ${isFailed && hasMissing(job) && wanted.isMissing !== true && link(recordsPath(job.job_id, outcome, { ...filter, missing: 'yes' }), t('Only those still missing'))}
      ${isFailed && link(addressOf(`${jobPath(job.job_id)}/records/failed.csv`, { ...filter }), t('Download as CSV'))}
    </p>
    ${cause && html`<p>${place ? t('Only records with {code} at {place}', { code: code(cause), place: code(place) }) : t('Only records with {code}', { code: code(cause) })}</p>`}
    ${recordsTable(title, job, outcome, records, t(next === undefined ? 'No record matches.' : 'No record on this page matches.'))}
    ${nextPage(next !== undefined && recordsPath(job.job_id, outcome, { ...filter, after: String(next) }))}
    ${isFailed && records.length > 0 && supplierTextPart(job, causesOf(records), records)}`;
  return { title: t('{records} of {job}', { records: title, job: job.name ?? t('the import job') }), body };
}

/** The causes of the shown records, each once. */
function causesOf(records: readonly JobRecord[]) {
  const faults = records.flatMap(({ errors }) => errors);
  const known = new Map(
    faults.map(({ code: cause, attr }) => [`${cause} ${placeOf(attr)}`, [cause, placeOf(attr)] as const]),
  );
  return [...known.values()].map(([cause, place]) => causeOf(cause, place));
}

/** Records with a row for each fault. */
export function recordsTable(
  label: string,
  job: JobView,
  outcome: Outcome,
  records: readonly JobRecord[],
  empty: string,
): Html {
  return table(
    label,
    records.flatMap(rowsOf),
    [
      [t('Line'), ({ record }) => record && count(record.line), 'number'],
      [
        t('Record'),
        ({ record }) =>
          record &&
          html`${recordLink(job, record.key)}
          ${record.isStored === true && html`<br />${badge(t(job.goal === 'CREATE' ? 'created since' : 'stored since'), 'good')}`}`,
      ],
      outcome === 'succeeded' && [t('Service number'), ({ record }) => record && code(record.number)],
      [t('Code'), ({ fault, tone }) => fault && badge(fault.code, tone)],
      [t('Field'), ({ fault }) => fault && placeName(fault.attr), 'place'],
      [t('Detail'), ({ fault }) => fault && translated(fault.detail), 'advice'],
      outcome === 'failed' && [t('Value'), ({ fault }) => fault && fault.value !== null && code(fault.value)],
    ],
    empty,
  );
}

const COLUMNS = ['line', 'record', 'code', 'field', 'meaning', 'value', 'still_missing'];

async function sendFailed(request: PageRequest): Promise<PageAnswer> {
  const job = await findJob(request);
  const { wanted } = filterIn(request, 'failed');
  const content = failedCsv(readAllRecords(request.lists, job, wanted));
  return { download: `${job.job_id}-failed.csv`, type: 'text/csv', content };
}

/** A line for each error, with the meaning of its code, because the details of records may contain personal data. */
async function* failedCsv(batches: AsyncIterable<readonly JobRecord[]>): AsyncGenerator<string> {
  yield csvHead(COLUMNS);
  for await (const records of batches) {
    const lines = records.flatMap(({ line, key, errors, isStored }) =>
      errors.map(({ code: cause, attr, value }) => {
        const place = placeOf(attr);
        const missing = isStored === undefined ? '' : isStored ? 'no' : 'yes';
        return csvLine([line, key, cause, place, causeOf(cause, place).detail, value, missing]);
      }),
    );
    yield lines.join('');
  }
}

/** Only accounts have a number by which another job can be seen to have stored them. */
const hasMissing = ({ kind }: JobView) => kind === 'accounts';

/** Loads how many failed accounts are still missing after the page, because a large job takes a second. */
export function missingPart(job: JobView): Part {
  if (!hasMissing(job) || job.counts.failed === 0) return '';
  const counted = `${jobPath(job.job_id)}/missing`;
  return html`<section hx-get="${counted}" hx-trigger="load" aria-live="polite">
    <p>${link(counted, t('Count the failed accounts that are still missing'))}</p>
  </section>`;
}

async function showMissing(request: PageRequest): Promise<PageAnswer> {
  const job = await findJob(request);
  const { missing, counted } = await countMissing(request.lists, job);
  const others = job.goal === 'CREATE' ? 'The others are created by now.' : 'The others are staged or created by now.';
  const shown = { missing: html`<strong>${count(missing)}</strong>`, all: counted };
  const fragment = html`<p>
    ${t(counted < job.counts.failed ? 'Still missing: {missing} of the first {all} failed accounts.' : 'Still missing: {missing} of {all} failed accounts.', shown)}
    ${missing < counted && t(others)}
    ${missing > 0 && link(recordsPath(job.job_id, 'failed', { missing: 'yes' }), t('List'))}
  </p>`;
  return request.isForPart
    ? { fragment }
    : { title: t('Missing accounts of {job}', { job: job.name ?? t('the import job') }), body: fragment };
}

interface FaultRow {
  /** Only in the first row of the record. */
  record: JobRecord | undefined;
  fault?: JobRecord['errors'][number];
  tone?: 'bad' | 'warn';
}

/** A row for each fault, so that each has its own sentence. */
function rowsOf(record: JobRecord): FaultRow[] {
  const faults = [
    ...record.errors.map((fault) => ({ fault, tone: 'bad' as const })),
    ...record.warnings.map((fault) => ({ fault, tone: 'warn' as const })),
  ];
  if (faults.length === 0) return [{ record }];
  return faults.map((one, index) => ({ ...one, record: index === 0 ? record : undefined }));
}

/** After a validation or a rehearsal nothing is stored, so there may be no page of the account; the search finds it if there is one. */
function recordLink({ kind, goal, import_supplier: supplier }: JobView, key: string | null): Part {
  if (key === null) return '–';
  const isBusiness = kind === 'businesses' || kind === 'business-contracts';
  const storesNothing = goal === 'VALIDATE' || goal === 'REHEARSE';
  return link(isBusiness || storesNothing ? addressOf(FIND, { q: key }) : accountPath(supplier, key), code(key));
}

/** The path of a fault; faults of the whole record have no path. */
export function placeName(attr: string): Part {
  return attr === 'non_field_errors' ? t('the whole record') : code(attr);
}

/** The faults of failed records; empty without records. */
export function rejectionsPart(rejections: readonly Rejection[], { apiAddress, viewer }: PageRequest): Part {
  if (rejections.length === 0) return '';
  const faults = rejections.flatMap((one) => one.errors.map((fault) => ({ ...one, ...fault })));
  return html`<section>
    <h2 id="rejections">${t('Failed in import jobs')}</h2>
    ${table(t('Records that failed in import jobs'), faults, [
      [
        t('Job'),
        ({ jobId, jobName, kind, startedAt }) =>
          html`${link(jobPath(jobId), jobName ?? jobId)}<br /><small>${kind}, ${moment(startedAt)}</small>`,
      ],
      [t('Line'), ({ line }) => count(line), 'number'],
      [
        t('Record'),
        ({ importSupplier, key }) => link(accountPath(importSupplier, key), code(`${importSupplier}/${key}`)),
      ],
      [t('Code'), (one) => linkAway(apiAddress(pageOfCode(one.code)), badge(one.code, 'bad'))],
      [t('Field'), ({ attr }) => placeName(attr), 'place'],
      [t('Detail'), ({ detail }) => translated(detail), 'advice'],
    ])}
    ${viewer === undefined && rejectionTextPart(rejections)}
  </section>`;
}
