import { findJobWaits, readJobs, readStagedCauses } from '../../import-jobs/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { importJobStatuses } from '../../vocabulary/import-jobs.ts';
import { code, count, fromNow, link, livePart, moment, table } from '../frame/elements.ts';
import { filterForm, supplierChoice } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { nextPage } from '../frame/list-parts.ts';
import { accepted, page, polledPart, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { addressOf, jobPath } from '../frame/paths.ts';
import { causesTable } from './causes.ts';
import { jobBar, statusBadge, waitSentence } from './job-parts.ts';

const SUPPLIER_CAUSES = '/jobs/causes/:supplier';

/** Import jobs: the list, and the causes of all staged accounts of a supplier. */
export const jobListPages = [
  page(
    '/jobs',
    async (request) => {
      const list = await listPart(request);
      return { title: 'Import jobs', body: html`${await filters(request)} ${list}` };
    },
    { menu: 'Jobs' },
  ),
  polledPart('/jobs/list', listPart),
  page(SUPPLIER_CAUSES, showSupplierCauses),
  page(`${SUPPLIER_CAUSES}/counted`, countSupplierCauses, { isLong: true }),
];

async function filters({ query, suppliers }: PageRequest): Promise<Html> {
  const codes = await supplierCodes(suppliers);
  const supplier = query.get('import_supplier') ?? '';
  const options = [['', 'Status: all'] as const, ...Object.keys(importJobStatuses)];
  return filterForm({
    action: '/jobs',
    fields: [
      supplierChoice(codes, query.get('import_supplier'), 'Import supplier: all'),
      { label: 'Status', name: 'status', value: query.get('status'), options },
    ],
    button: 'Show',
    more: codes.includes(supplier) && link(causesPath(supplier), `Causes of all staged accounts of ${supplier}`),
  });
}

/** The list, which refreshes. */
async function listPart({ database, query, now }: PageRequest): Promise<Html> {
  const wanted = new URLSearchParams([...query].filter(([, value]) => value !== ''));
  const { jobs, next } = accepted(await readJobs(database, wanted, undefined));
  const ids = jobs.map(({ job_id: id }) => id);
  const waits = await findJobWaits(database, ids);
  const list = table(
    'Import jobs, newest first',
    jobs,
    [
      [
        'Status',
        (job) => {
          const wait = waits.get(job.job_id);
          return html`${statusBadge(job)} ${wait && html`<br /><small>${waitSentence(wait)}</small>`}`;
        },
      ],
      ['Import supplier', (job) => job.import_supplier],
      ['Kind and goal', ({ kind, goal, name }) => html`${kind}, ${goal}<br /><small>${name}</small>`],
      [
        'Progress',
        (job) => {
          const { succeeded, failed, accepted: all } = job.counts;
          return html`${jobBar(job)} <small>${count(succeeded + failed)} of ${count(all)}</small>`;
        },
      ],
      ['Failed', ({ counts }) => count(counts.failed), 'number'],
      ['Rate', ({ lines_per_second: rate }) => rate > 0 && `${count(Math.round(rate))}/s`, 'number'],
      ['Actual or estimated end', (job) => fromNow(job.ended_at ?? job.estimated_end_at, now)],
      ['Opened', (job) => fromNow(job.created_at, now)],
      ['', ({ job_id: id }) => html`<a href="${jobPath(id)}" aria-label="Open the job ${id}">Open</a>`],
    ],
    'No import job matches these filters.',
  );
  const body = html`${list}
    <p class="fine">As of ${moment(now)}.</p>
    ${nextPage(next && `/jobs?${next.toString()}`, 'Older jobs')}`;
  return livePart({ id: 'jobs', from: `/jobs/list?${wanted.toString()}` }, body);
}

const supplierOf = ({ params }: PageRequest) => params['supplier'] ?? '';
const causesPath = (supplier: string) => `/jobs/causes/${encodeURIComponent(supplier)}`;

/** Shows the page first, because counting a million accounts takes seconds. */
function showSupplierCauses(request: PageRequest): PageAnswer {
  const supplier = supplierOf(request);
  const counted = `${causesPath(supplier)}/counted`;
  const body = html`<p>
      The known causes that block the creation of staged accounts of ${supplier}. To find all causes, run a job with the
      goal ${code('REHEARSE')}. ${link(addressOf('/jobs', { import_supplier: supplier }), `Jobs of ${supplier}`)}
    </p>
    <section hx-get="${counted}" hx-trigger="load" aria-live="polite">
      <p>
        Counting; this takes several seconds for a million accounts.
        ${link(counted, 'Open the counts on a separate page')}
      </p>
    </section>`;
  return { title: `Causes of ${supplier}`, body };
}

async function countSupplierCauses(request: PageRequest): Promise<PageAnswer> {
  const supplier = supplierOf(request);
  const causes = accepted(await readStagedCauses(request, supplier));
  const empty = 'No cause is known. Records that failed in import jobs are listed on the pages of the jobs.';
  const body = html`${causesTable(causes, request, { supplier, empty })}
    <p class="fine">Counted ${moment(request.now)}.</p>`;
  return request.isForPart ? { fragment: body } : { title: `Causes of ${supplier}`, body };
}
