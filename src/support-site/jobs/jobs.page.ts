import { createSupplierDirectory, supplierCodes } from '../../suppliers/index.ts';
import { findJobWaits, readJobs, readStagedCauses, type JobView, type JobWait } from '../../import-jobs/index.ts';
import { importJobStatuses } from '../../vocabulary/import-jobs.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { count, fromNow, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { optionsOf } from '../frame/list-parts.ts';
import { polledPart, type Page, type PageAnswer, type PageRequest, type SiteDeps } from '../frame/page.ts';
import { causesTable } from './causes.ts';
import { jobPages } from './job.page.ts';
import { jobBar, statusBadge, waitSentence } from './job-parts.ts';

const POLL = 'every 5s';
const SUPPLIER_CAUSES = '/jobs/causes/:supplier';

/** Import jobs: the list, single jobs, and the causes of all staged accounts of a supplier. */
export function jobsPages(deps: SiteDeps): Page[] {
  const suppliers = createSupplierDirectory(deps);
  return [
    {
      method: 'GET',
      path: '/jobs',
      action: 'look',
      menu: 'Jobs',
      show: async (request) => {
        const list = await listPart(deps, request);
        if (isRefused(list)) return list;
        const codes = await supplierCodes(suppliers);
        return { title: 'Import jobs', body: html`${filterForm(request.query, codes)} ${list}` };
      },
    },
    polledPart('/jobs/list', (request) => listPart(deps, request)),
    { method: 'GET', path: SUPPLIER_CAUSES, action: 'look', show: (request) => showSupplierCauses(request) },
    {
      method: 'GET',
      path: `${SUPPLIER_CAUSES}/counted`,
      action: 'look',
      isLong: true,
      show: (request) => countSupplierCauses({ ...deps, suppliers }, request),
    },
    ...jobPages(deps),
  ];
}

/** The filters of the list, without empty fields. */
function filtersIn(query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...query].filter(([, value]) => value !== ''));
}

function filterForm(query: URLSearchParams, suppliers: readonly string[]): Html {
  const chosenSupplier = query.get('import_supplier') ?? '';
  const causes = suppliers.includes(chosenSupplier) && `/jobs/causes/${encodeURIComponent(chosenSupplier)}`;
  return html`<form class="row" method="get" action="/jobs">
    ${select('import_supplier', 'Import supplier', suppliers, chosenSupplier)}
    ${select('status', 'Status', Object.keys(importJobStatuses), query.get('status') ?? '')}
    <button>Show</button>
    ${causes && html`<a href="${causes}">Causes of all staged accounts of ${chosenSupplier}</a>`}
  </form>`;
}

function select(name: string, label: string, choices: readonly string[], chosen: string): Html {
  return html`<select name="${name}" aria-label="${label}">
    <option value="">${label}: all</option>
    ${optionsOf(choices, chosen)}
  </select>`;
}

/** The list, which refreshes. */
async function listPart({ database, clock }: SiteDeps, { query }: PageRequest): Promise<Html | Refused> {
  const wanted = filtersIn(query);
  const page = await readJobs(database, wanted, undefined);
  if (isRefused(page)) return page;
  const { jobs, next } = page;
  const waits = await findJobWaits(
    database,
    jobs.map(({ job_id: id }) => id),
  );
  const now = clock.now();
  const heads = [
    'Status',
    'Import supplier',
    'Kind and goal',
    'Progress',
    'Failed',
    'Rate',
    'Actual or estimated end',
    'Opened',
    '',
  ];
  return html`<section id="jobs" hx-get="/jobs/list?${wanted.toString()}" hx-trigger="${POLL}" hx-swap="outerHTML">
    ${
      jobs.length === 0
        ? nothing('No import job matches these filters.')
        : table(
            'Import jobs, newest first',
            heads,
            jobs.map((job) => rowOf(job, waits.get(job.job_id), now)),
          )
    }
    <p class="fine">As of ${moment(now)}.</p>
    ${next !== undefined && html`<p><a class="button quiet" href="/jobs?${next}">Older jobs</a></p>`}
  </section>`;
}

function rowOf(job: JobView, wait: JobWait | undefined, now: Date): Html {
  const { counts, ended_at: ended } = job;
  return html`<tr>
    <td>${statusBadge(job)} ${wait && html`<br /><small>${waitSentence(wait)}</small>`}</td>
    <td>${job.import_supplier}</td>
    <td>${job.kind}, ${job.goal}<br /><small>${job.name}</small></td>
    <td>
      ${jobBar(job)}
      <small>${count(counts.succeeded + counts.failed)} of ${count(counts.accepted)}</small>
    </td>
    <td class="number">${count(counts.failed)}</td>
    <td class="number">${job.lines_per_second > 0 && html`${count(Math.round(job.lines_per_second))}/s`}</td>
    <td>${fromNow(ended ?? job.estimated_end_at, now)}</td>
    <td>${fromNow(job.created_at, now)}</td>
    <td><a href="/jobs/${job.job_id}" aria-label="Open the job ${job.job_id}">Open</a></td>
  </tr>`;
}

const supplierOf = ({ params }: PageRequest) => params['supplier'] ?? '';

/** Shows the page first, because counting a million accounts takes seconds. */
function showSupplierCauses(request: PageRequest): Promise<PageAnswer> {
  const supplier = supplierOf(request);
  const counted = `/jobs/causes/${encodeURIComponent(supplier)}/counted`;
  const body = html`<p>
      The known causes that block the creation of staged accounts of ${supplier}. To find all causes, run a job with the
      goal <code>REHEARSE</code>. ${' '}<a href="/jobs?import_supplier=${encodeURIComponent(supplier)}"
        >Jobs of ${supplier}</a
      >
    </p>
    <section hx-get="${counted}" hx-trigger="load" aria-live="polite">
      <p>
        Counting; this takes several seconds for a million accounts. ${' '}<a href="${counted}"
          >Open the counts on a separate page</a
        >
      </p>
    </section>`;
  return Promise.resolve({ title: `Causes of ${supplier}`, body });
}

async function countSupplierCauses(
  deps: SiteDeps & { suppliers: ReturnType<typeof createSupplierDirectory> },
  request: PageRequest,
): Promise<PageAnswer> {
  const causes = await readStagedCauses(deps, supplierOf(request));
  if (isRefused(causes)) return causes;
  const body = html`${
      causes.length === 0
        ? nothing('No cause is known. Records that failed in import jobs are listed on the pages of the jobs.')
        : causesTable(causes, deps, { supplier: supplierOf(request) })
    }
    <p class="fine">Counted ${moment(deps.clock.now())}.</p>`;
  return request.isForPart ? { fragment: body } : { title: `Causes of ${supplierOf(request)}`, body };
}
