import { readJob, readRecords, type JobRecord, type JobView, type Rejection } from '../../import-jobs/index.ts';
import { pageOfCode } from '../../vocabulary/remedies.ts';
import { badge, code, count, link, linkAway, moment } from '../frame/cells.ts';
import { nextPage, table } from '../frame/parts.ts';
import { html, type Part } from '../frame/html.ts';
import { accepted, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, FIND, jobPath } from '../frame/paths.ts';

const PAGE_SIZE = 50;
const TITLES = { succeeded: 'Succeeded records', failed: 'Failed records' } as const;
type Outcome = keyof typeof TITLES;

/** The records of a job by outcome, without the personal data of the uploaded lines. */
export const jobRecordPages = (['succeeded', 'failed'] as const).map((outcome) =>
  page(`/jobs/:job/records/${outcome}`, (request) => showRecords(request, outcome)),
);

/** Path of the records of a job, optionally only those with one cause. */
export function recordsPath(
  jobId: string,
  outcome: Outcome,
  filter: { code?: string | null; place?: string | null; after?: string } = {},
): string {
  return addressOf(`${jobPath(jobId)}/records/${outcome}`, filter);
}

async function showRecords(request: PageRequest, outcome: Outcome): Promise<PageAnswer> {
  const { database, lists, query } = request;
  const { job } = accepted(await readJob(database, request, { viewer: undefined, causesMax: 0 }));
  const [cause, place, after] = [query.get('code'), query.get('place'), query.get('after') ?? ''];
  const { records, next } = await readRecords(lists, job.job_id, {
    outcome,
    cause: cause ? { code: cause, place: place || undefined } : undefined,
    after: /^\d{1,9}$/.test(after) ? Number(after) : 0,
    limit: PAGE_SIZE,
  });
  const title = TITLES[outcome];
  const body = html`<p>
      ${link(jobPath(job.job_id), 'Back to the job')}
      ${cause && html` · ${link(recordsPath(job.job_id, outcome), `all ${title.toLowerCase()}`)}`}
    </p>
    ${cause && html`<p>Only records with ${code(cause)} ${place && html`at ${code(place)}`}</p>`}
    ${table(
      title,
      records.flatMap(rowsOf),
      [
        ['Line', ({ record }) => record && count(record.line), 'number'],
        ['Record', ({ record }) => record && recordLink(job, record.key)],
        outcome === 'succeeded' && ['Service number', ({ record }) => record && code(record.number)],
        ['Code', ({ fault, tone }) => fault && badge(fault.code, tone)],
        ['Field', ({ fault }) => fault && placeName(fault.attr), 'place'],
        ['Detail', ({ fault }) => fault?.detail, 'advice'],
      ],
      next === undefined ? 'No record matches.' : 'No record on this page matches.',
    )}
    ${nextPage(next !== undefined && recordsPath(job.job_id, outcome, { code: cause, place, after: String(next) }))}`;
  return { title: `${title} of ${job.name ?? 'the import job'}`, body };
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
  return attr === 'non_field_errors' ? 'the whole record' : code(attr);
}

/** The faults of failed records; empty without records. */
export function rejectionsPart(rejections: readonly Rejection[], { apiAddress }: PageRequest): Part {
  if (rejections.length === 0) return '';
  const faults = rejections.flatMap((one) => one.errors.map((fault) => ({ ...one, ...fault })));
  return html`<section>
    <h2 id="rejections">Failed in import jobs</h2>
    ${table('Records that failed in import jobs', faults, [
      [
        'Job',
        ({ jobId, jobName, kind, startedAt }) =>
          html`${link(jobPath(jobId), jobName ?? jobId)}<br /><small>${kind}, ${moment(startedAt)}</small>`,
      ],
      ['Line', ({ line }) => count(line), 'number'],
      ['Record', ({ importSupplier, key }) => link(accountPath(importSupplier, key), code(`${importSupplier}/${key}`))],
      ['Code', (one) => linkAway(apiAddress(pageOfCode(one.code)), badge(one.code, 'bad'))],
      ['Field', ({ attr }) => placeName(attr), 'place'],
      ['Detail', ({ detail }) => detail, 'advice'],
    ])}
  </section>`;
}
