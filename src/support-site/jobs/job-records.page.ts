import {
  countMissing,
  readJob,
  readRecords,
  type JobRecord,
  type JobView,
  type Rejection,
} from '../../import-jobs/index.ts';
import { causeOf, placeOf } from '../../import-jobs/results/cause.rules.ts';
import { frenchDetails } from '../../vocabulary/french-details.ts';
import { pageOfCode } from '../../vocabulary/remedies.ts';
import { badge, code, count, link, linkAway, moment, recordsText, accountLink } from '../frame/cells.ts';
import { listPages, listTable, type List } from '../frame/list.ts';
import { loadedPart, table } from '../frame/parts.ts';
import { copyButton } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated, dateTime } from '../frame/language.ts';
import { accepted, page, partOrPage, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, FIND, jobPath } from '../frame/paths.ts';
import type { CauseView } from '../../import-jobs/results.schema.ts';

const TITLES = { succeeded: 'Succeeded records', failed: 'Failed records' } as const;
type Outcome = keyof typeof TITLES;

/** The records of a job by outcome, without personal data of the uploaded lines, and how many are still missing. */
export const jobRecordPages = [
  ...(['succeeded', 'failed'] as const).flatMap((outcome) =>
    listPages<FaultRow>({
      path: `/jobs/:job/records/${outcome}`,
      title: (_, { label }) => label,
      list: (request) => recordsOf(request, outcome),
      body: ({ params }, list) =>
        html`<p>${link(jobPath(params['job'] ?? ''), t('Back to the job'))}</p>
          ${list}`,
    }),
  ),
  page('/jobs/:job/missing', showMissing, { isLong: true }),
];

/** Path of the records of a job, optionally only those with one cause, or of accounts that are still missing (`yes`). */
export function recordsPath(
  jobId: string,
  outcome: Outcome,
  filter: { code?: string | null; place?: string | null; missing?: 'yes' } = {},
): string {
  return addressOf(`${jobPath(jobId)}/records/${outcome}`, filter);
}

async function findJob(request: PageRequest): Promise<JobView> {
  return accepted(await readJob(request.database, request, { viewer: undefined, causesMax: 0 })).job;
}

/** Sorted by line, with a row for each fault. The file has the meanings of codes, because the details of records may contain personal data. */
async function recordsOf(request: PageRequest, outcome: Outcome): Promise<List<FaultRow>> {
  const { lists, query } = request;
  const job = await findJob(request);
  const [cause, place] = [query.get('code') ?? '', query.get('place') || undefined];
  const isMissing = query.get('missing') === 'yes';
  const wanted = { outcome, cause: cause === '' ? undefined : { code: cause, place }, isMissing };
  const isFailed = outcome === 'failed';
  const records = t(isMissing ? 'Missing records' : TITLES[outcome]);
  const choices = [['', t('all')] as const, ['yes', t('Only those still missing')] as const];
  return {
    name: `${outcome}-records`,
    path: recordsPath(job.job_id, outcome),
    label: t('{records} of {job}', { records, job: job.name ?? t('the import job') }),
    filters: isFailed && [
      { label: t('Code'), name: 'code', value: cause, maxlength: 100 },
      { label: t('Field'), name: 'place', value: place, maxlength: 255 },
      hasMissing(job) && { label: t('Records'), name: 'missing', value: query.get('missing'), options: choices },
    ],
    columns: recordColumns(job, outcome),
    cursors: /^\d{1,9}$/,
    read: async ({ cursor = '0', limit }) => {
      const { records: found, next } = await readRecords(lists, job, { ...wanted, after: Number(cursor), limit });
      const note = isFailed && found.length > 0 && supplierTextPart(job, causesOf(found), found);
      return { rows: found.flatMap(rowsOf), next: next?.toString(), note };
    },
    empty: t('No record matches.'),
  };
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
export function recordsTable(label: string, job: JobView, records: readonly JobRecord[], empty: string): Html {
  return listTable(label, records.flatMap(rowsOf), recordColumns(job, 'failed'), empty);
}

function recordColumns(job: JobView, outcome: Outcome): List<FaultRow>['columns'] {
  const isFailed = outcome === 'failed';
  const stored = badge(t(job.goal === 'CREATE' ? 'created since' : 'stored since'), 'good');
  return {
    line: [t('Line'), ({ line, isFirst }) => isFirst && count(line), 'number'],
    record: [t('Record'), ({ record, isFirst }) => isFirst && recordLink(job, record)],
    number: !isFailed && [t('Service number'), ({ number, isFirst }) => isFirst && code(number)],
    code: [
      t('Code'),
      ({ code: cause, tone }) => cause && badge(cause, tone),
      undefined,
      ({ code: cause, tone }) => (tone === 'warn' ? `${cause} (warning)` : cause),
    ],
    field: [t('Field'), ({ attr }) => attr && placeName(attr), 'place'],
    meaning: [t('Detail'), ({ detail }) => detail && translated(detail), 'advice'],
    value: isFailed && [t('Value'), ({ value }) => value && code(value)],
    still_missing: isFailed &&
      hasMissing(job) && [
        t('State'),
        (row) => row.isFirst && (row.still_missing === 'no' ? stored : t('still missing')),
      ],
  };
}

/** Only accounts have a number by which another job can be seen to have stored them. */
const hasMissing = ({ kind }: JobView) => kind === 'accounts';

/** Loads how many failed accounts are still missing after the page, because a large job takes a second. */
export function missingPart(job: JobView): Part {
  if (!hasMissing(job) || job.counts.failed === 0) return '';
  const counted = `${jobPath(job.job_id)}/missing`;
  return loadedPart(counted, t('Count the failed accounts that are still missing'));
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
  return partOrPage(request, t('Missing accounts of {job}', { job: job.name ?? t('the import job') }), fragment);
}

type FaultRow = ReturnType<typeof rowsOf>[number];

/** A row for each fault, so that each has its own sentence; warnings have a mark in files. */
function rowsOf({ line, key: record, number, errors, warnings, isStored }: JobRecord) {
  const faults = [
    ...errors.map((fault) => ({ ...fault, tone: 'bad' as const })),
    ...warnings.map((fault) => ({ ...fault, tone: 'warn' as const })),
  ];
  const still_missing = isStored === true ? 'no' : 'yes';
  const rows: Partial<(typeof faults)[number]>[] = faults.length === 0 ? [{}] : faults;
  return rows.map(({ code: cause, attr, ...fault }, index) => {
    const known = cause !== undefined && attr !== undefined && causeOf(cause, placeOf(attr));
    const ofFault = { ...fault, code: cause, attr, ...(known && { field: known.place, meaning: known.detail }) };
    return { line, record, number, still_missing, isFirst: index === 0, ...ofFault };
  });
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

/** A second upload of an account that is already created is harmless. */
const toneOf = (cause: string) => (cause === 'account_import_process_already_imported' ? 'plain' : 'bad');

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
          html`${link(jobPath(jobId), jobName ?? jobId)}<br /><small>${translated(kind)}, ${moment(startedAt)}</small>`,
      ],
      [t('Line'), ({ line }) => count(line), 'number'],
      [t('Record'), ({ importSupplier, key }) => accountLink(importSupplier, key)],
      [t('Code'), (one) => linkAway(apiAddress(pageOfCode(one.code)), badge(one.code, toneOf(one.code)))],
      [t('Field'), ({ attr }) => placeName(attr), 'place'],
      [t('Detail'), ({ detail }) => translated(detail), 'advice'],
    ])}
    ${viewer === undefined && rejectionTextPart(rejections)}
  </section>`;
}

const CAUSES_MAX = 20;
const ROWS = 12;
/** The details without values, and so without personal data. */
const DETAILS: ReadonlySet<string> = new Set(frenchDetails.map(([english]) => english));

/** A text about failed records that a person can copy for the supplier, without personal data. @param records listed one by one, if given */
export function supplierTextPart(job: JobView, causes: readonly CauseView[], records: readonly JobRecord[] = []): Html {
  return textPart(supplierText(job, causes, records));
}

/** The same about one rejected record, as the newest of the jobs reports it. */
function rejectionTextPart(rejections: readonly Rejection[]): Html {
  const [newest] = rejections;
  const records = rejections.filter(({ jobId }) => jobId === newest?.jobId);
  const texts = records.flatMap(({ jobId, jobName, importSupplier, key, line, errors }) => [
    t('{record}: line {line} of the import job {job} was rejected.', {
      record: `${importSupplier} ${key}`,
      line,
      job: jobName === null ? jobId : `${jobName} (${jobId})`,
    }),
    ...errors.map(({ code, attr, detail }) => {
      const cause = causeOf(code, placeOf(attr));
      return causeText(DETAILS.has(detail) ? { ...cause, detail } : cause);
    }),
  ]);
  return textPart([...new Set(texts)].join('\n\n'));
}

function textPart(text: string): Html {
  return html`<details>
    <summary>${t('Text for the supplier')}</summary>
    <label for="supplier-text">${t('Without personal data, to copy into an e-mail')}</label>
    <textarea id="supplier-text" rows="${ROWS}" readonly>${text}</textarea>
    <p>${copyButton('supplier-text')}</p>
  </details>`;
}

function supplierText(job: JobView, causes: readonly CauseView[], records: readonly JobRecord[]): string {
  const { accepted, succeeded, failed } = job.counts;
  const started = job.started_at !== null && t('started {time}', { time: dateTime(new Date(job.started_at)) });
  const about = [job.import_supplier, job.kind, job.goal, started].filter(Boolean).join(', ');
  const shown = causes.filter((one) => !one.is_warning).slice(0, CAUSES_MAX);
  return [
    t('Import job {job} ({about}), id {id}', { job: job.name ?? t('without a name'), about, id: job.job_id }),
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
    ({ code, attr, value, detail }) =>
      `${t('{code} at {place}', { code, place: attr })}${value === null ? '' : ` (${value})`}${DETAILS.has(detail) ? ` ${translated(detail)}` : ''}`,
  );
  const name = `${t('line {line}', { line })}${key === null ? '' : `, ${key}`}`;
  return t('{name}: {value}', { name, value: faults.join('; ') });
}
