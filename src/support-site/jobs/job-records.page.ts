import {
  countMissing,
  readJob,
  readRecords,
  type JobRecord,
  type JobView,
  type Rejection,
} from '../../import-jobs/index.ts';
import { causeOf, placeOf } from '../../import-jobs/results/cause.rules.ts';
import { pageOfCode } from '../../vocabulary/remedies.ts';
import { badge, code, count, link, linkAway, moment } from '../frame/cells.ts';
import { listPages, listTable, type List } from '../frame/list.ts';
import { table } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { accepted, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, FIND, jobPath } from '../frame/paths.ts';
import { rejectionTextPart, supplierTextPart } from './supplier-text.ts';

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
