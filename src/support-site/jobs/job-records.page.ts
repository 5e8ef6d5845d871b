import { type Rejection, readJob, readRecords, type JobRecord, type JobView } from '../../import-jobs/index.ts';
import { badge, count, linkAway, moment, table, nothing } from '../frame/elements.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { SiteDeps, Page, PageAnswer, PageRequest } from '../frame/page.ts';
import { pageOfCode } from '../../vocabulary/remedies.ts';
import { accountPath, addressOf } from '../frame/paths.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { nextPage } from '../frame/list-parts.ts';

const PAGE_SIZE = 50;
const TITLES = { succeeded: 'Succeeded records', failed: 'Failed records' } as const;

/** The records of a job by outcome, without the personal data of the uploaded lines. */
export function jobRecordPages(deps: SiteDeps): Page[] {
  return (['succeeded', 'failed'] as const).map((outcome) => ({
    method: 'GET',
    path: `/jobs/:job/records/${outcome}`,
    action: 'look',
    show: (request) => showRecords(deps, request, outcome),
  }));
}

/** Path of the records of a job, optionally only those with one cause. */
export function recordsPath(
  jobId: string,
  outcome: keyof typeof TITLES,
  filter: { code?: string | null; place?: string | null; after?: string } = {},
): string {
  return addressOf(`/jobs/${encodeURIComponent(jobId)}/records/${outcome}`, filter);
}

async function showRecords(
  { database, lists }: SiteDeps,
  request: PageRequest,
  outcome: keyof typeof TITLES,
): Promise<PageAnswer> {
  const found = await readJob(database, request, { viewer: undefined, causesMax: 0 });
  if (isRefused(found)) return found;
  const { job } = found;
  const { query } = request;
  const [code, place, after] = [query.get('code'), query.get('place'), query.get('after') ?? ''];
  const { records, next } = await readRecords(lists, job.job_id, {
    outcome,
    cause: code ? { code, place: place || undefined } : undefined,
    after: /^\d{1,9}$/.test(after) ? Number(after) : 0,
    limit: PAGE_SIZE,
  });
  const heads = ['Line', 'Record', ...(outcome === 'succeeded' ? ['Service number'] : []), 'Code', 'Field', 'Detail'];
  const body = html`<p>
      <a href="/jobs/${job.job_id}">Back to the job</a>
      ${code && html` · <a href="${recordsPath(job.job_id, outcome)}">all ${TITLES[outcome].toLowerCase()}</a>`}
    </p>
    ${code && html`<p>Only records with <code>${code}</code> ${place && html`at <code>${place}</code>`}</p>`}
    ${
      records.length === 0
        ? nothing(next === undefined ? 'No record matches.' : 'No record on this page matches.')
        : table(
            TITLES[outcome],
            heads,
            records.flatMap((record) => rowsOf(record, job, outcome)),
          )
    }
    ${next !== undefined && nextPage(recordsPath(job.job_id, outcome, { code, place, after: String(next) }))}`;
  return { title: `${TITLES[outcome]} of ${job.name ?? 'the import job'}`, body };
}

/** A row for each fault, so that each has its own sentence. */
function rowsOf(
  { line, key, number, errors, warnings }: JobRecord,
  job: JobView,
  outcome: keyof typeof TITLES,
): Html[] {
  const faults = [
    ...errors.map((fault) => ({ ...fault, tone: 'bad' as const })),
    ...warnings.map((fault) => ({ ...fault, tone: 'warn' as const })),
  ];
  const first: Part = html`<td class="number">${count(line)}</td>
    <td>${recordLink(job, key)}</td>
    ${outcome === 'succeeded' && html`<td><code>${number}</code></td>`}`;
  const more = html`<td></td>
    <td></td>
    ${outcome === 'succeeded' && html`<td></td>`}`;
  if (faults.length === 0) {
    return [
      html`<tr>
        ${first}
        <td></td>
        <td></td>
        <td></td>
      </tr>`,
    ];
  }
  return faults.map(
    ({ code, attr, detail, tone }, index) =>
      html`<tr>
        ${index === 0 ? first : more}
        <td>${badge(code, tone)}</td>
        <td class="place">${placeName(attr)}</td>
        <td class="advice">${detail}</td>
      </tr>`,
  );
}

/** After a validation or a rehearsal nothing is stored, so there may be no page of the account; the search finds it if there is one. */
function recordLink(
  { kind, goal, import_supplier: supplier }: Pick<JobView, 'kind' | 'goal' | 'import_supplier'>,
  key: string | null,
) {
  if (key === null) return '–';
  const isBusiness = kind === 'businesses' || kind === 'business-contracts';
  const storesNothing = goal === 'VALIDATE' || goal === 'REHEARSE';
  const address = isBusiness || storesNothing ? addressOf('/find', { q: key }) : accountPath(supplier, key);
  return html`<a href="${address}"><code>${key}</code></a>`;
}

/** The path of a fault; faults of the whole record have no path. */
export function placeName(attr: string): Html {
  return attr === 'non_field_errors' ? html`the whole record` : html`<code>${attr}</code>`;
}

/** The faults of failed records; empty without records. */
export function rejectionsPart(rejections: readonly Rejection[], { apiAddress }: Pick<SiteDeps, 'apiAddress'>): Html {
  if (rejections.length === 0) return html``;
  const rows = rejections.flatMap((one) =>
    one.errors.map(
      ({ code, attr, detail }) =>
        html`<tr>
          <td>
            <a href="/jobs/${one.jobId}">${one.jobName ?? one.jobId}</a><br />
            <small>${one.kind}, ${moment(one.startedAt)}</small>
          </td>
          <td class="number">${count(one.line)}</td>
          <td>
            <a href="${accountPath(one.importSupplier, one.key)}"><code>${one.importSupplier}/${one.key}</code></a>
          </td>
          <td>${linkAway(apiAddress(pageOfCode(code)), badge(code, 'bad'))}</td>
          <td class="place">${placeName(attr)}</td>
          <td class="advice">${detail}</td>
        </tr>`,
    ),
  );
  return html`<section>
    <h2 id="rejections">Failed in import jobs</h2>
    ${table('Records that failed in import jobs', ['Job', 'Line', 'Record', 'Code', 'Field', 'Detail'], rows)}
  </section>`;
}
