import { CERTIFICATES, certificatePath, addressOf } from '../frame/paths.ts';
import { readReconciliations, startReconciliationAsOperator } from '../../reconciliation/index.ts';
import type { ReconciliationView } from '../../reconciliation/certificate.rules.ts';
import { createSupplierDirectory, supplierCodes } from '../../suppliers/index.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { count, fromNow, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { filledIn } from '../frame/form-checks.ts';
import { nextPage, optionsOf } from '../frame/list-parts.ts';
import { polledPart, type Page, type PageAnswer, type PageRequest, type SiteDeps } from '../frame/page.ts';
import { certificatePagesOfOne } from './certificate.page.ts';
import { comparedBar, stateBadge } from './certificate-parts.ts';

const POLL = 'every 5s';

/** Reconciliations and certificates: the list, the form that starts one, and single ones. */
export function certificatePages(deps: SiteDeps): Page[] {
  const suppliers = createSupplierDirectory(deps);
  return [
    {
      method: 'GET',
      path: CERTIFICATES,
      action: 'look',
      menu: 'Certificates',
      show: async (request) => {
        const list = await listPart(deps, request);
        if (isRefused(list)) return list;
        const codes = await supplierCodes(suppliers);
        const body = html`<p class="fine">
            A reconciliation compares every created account with the accepted data, value by value. A completed one has
            a certificate.
          </p>
          ${filterForm(request.query, codes)} ${list}
          ${request.may('reconciliation.start') && startForm(request, codes)}`;
        return { title: 'Certificates', body };
      },
    },
    polledPart(`${CERTIFICATES}/list`, (request) => listPart(deps, request)),
    { method: 'POST', path: CERTIFICATES, action: 'reconciliation.start', show: (request) => start(deps, request) },
    ...certificatePagesOfOne(deps),
  ];
}

async function start(deps: SiteDeps, { form, actor }: PageRequest): Promise<PageAnswer> {
  const body = filledIn(form, ['import_supplier', 'job_id']);
  const id = await startReconciliationAsOperator(deps, actor, body);
  if (isRefused(id)) return id;
  return {
    redirect: certificatePath(id),
    flash: { kind: 'done', text: 'The reconciliation has started. This page shows its progress.' },
  };
}

function filterForm(query: URLSearchParams, codes: readonly string[]): Html {
  return html`<form class="row" method="get" action="${CERTIFICATES}">
    <select name="import_supplier" aria-label="Import supplier">
      <option value="">Import supplier: all</option>
      ${optionsOf(codes, query.get('import_supplier'))}
    </select>
    <button class="quiet">Show</button>
  </form>`;
}

/** The page of a job links here with its id. */
function startForm({ formToken, query }: PageRequest, codes: readonly string[]): Html {
  const job = query.get('job_id');
  return html`<h2>Start a reconciliation</h2>
    <form class="narrow" method="post" action="${CERTIFICATES}">
      ${formToken}<label for="compared-supplier">All created accounts of an import supplier:</label>
      <select id="compared-supplier" name="import_supplier">
        <option value="">–</option>
        ${optionsOf(codes, job === null ? query.get('import_supplier') : null)}
      </select>
      <label for="compared-job">or only the accounts that an import job created (job ID):</label>
      <input id="compared-job" name="job_id" value="${job}" maxlength="36" />
      <button>Start</button>
    </form>`;
}

/** The list, which refreshes. */
async function listPart(deps: SiteDeps, { query }: PageRequest): Promise<Html | Refused> {
  const page = await readReconciliations(deps, query);
  if (isRefused(page)) return page;
  const now = deps.clock.now();
  const narrowed = { import_supplier: query.get('import_supplier'), before: query.get('before') };
  const heads = [
    'Result',
    'Import supplier',
    'Progress',
    'Accounts',
    'Accounts that differ',
    'Actual or estimated end',
    'Started',
    '',
  ];
  return html`<section
    id="reconciliations"
    hx-get="${addressOf(`${CERTIFICATES}/list`, narrowed)}"
    hx-trigger="${POLL}"
    hx-swap="outerHTML"
  >
    ${
      page.reconciliations.length === 0
        ? nothing('There are no reconciliations.')
        : table(
            'Reconciliations, newest first',
            heads,
            page.reconciliations.map((one) => rowOf(one, now)),
          )
    }
    <p class="fine">As of ${moment(now)}.</p>
    ${page.next !== undefined && nextPage(`${CERTIFICATES}?${page.next}`)}
  </section>`;
}

function rowOf(one: ReconciliationView, now: Date): Html {
  const { reconciliation_id: id, job_id: job, counts } = one;
  return html`<tr>
    <td>${stateBadge(one)}</td>
    <td>
      ${one.import_supplier}
      ${
        job !== null &&
        html`<br /><small
            ><a href="/jobs/${job}">job <code>${job.slice(0, 8)}</code></a></small
          >`
      }
    </td>
    <td>${comparedBar(one)}</td>
    <td class="number">${count(counts.accounts)}</td>
    <td class="number">${count(counts.different)}</td>
    <td>${fromNow(one.ended_at ?? one.estimated_end_at, now)}</td>
    <td>${fromNow(one.created_at, now)}</td>
    <td><a href="${certificatePath(id)}" aria-label="Open the reconciliation ${id}">Open</a></td>
  </tr>`;
}
