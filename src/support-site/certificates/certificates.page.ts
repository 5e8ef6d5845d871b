import { readReconciliations, startReconciliationAsOperator } from '../../reconciliation/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { code, count, fromNow, link, livePart, moment, table } from '../frame/elements.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { filterForm, form, supplierChoice } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { nextPage } from '../frame/list-parts.ts';
import { accepted, done, handler, page, polledPart, type PageRequest } from '../frame/page.ts';
import { addressOf, certificatePath, CERTIFICATES, jobPath } from '../frame/paths.ts';
import { comparedBar, stateBadge } from './certificate-parts.ts';

/** The list of reconciliations, and the form that starts one. */
export const certificatePages = [
  page(
    CERTIFICATES,
    async (request) => {
      const list = await listPart(request);
      const codes = await supplierCodes(request.suppliers);
      const fields = [supplierChoice(codes, request.query.get('import_supplier'), 'Import supplier: all')];
      const body = html`<p class="fine">
          A reconciliation compares every created account with the accepted data, value by value. A completed one has a
          certificate.
        </p>
        ${filterForm({ action: CERTIFICATES, fields, button: 'Show', tone: 'quiet' })} ${list}
        ${request.may('reconciliation.start') && startForm(request, codes)}`;
      return { title: 'Certificates', body };
    },
    { menu: 'Certificates' },
  ),
  polledPart(`${CERTIFICATES}/list`, listPart),
  handler(CERTIFICATES, 'reconciliation.start', async (request) => {
    const id = accepted(await startReconciliationAsOperator(request, request.actor, fieldsIn(request.form)));
    return done(certificatePath(id), 'The reconciliation has started. This page shows its progress.');
  }),
];

/** The page of a job links here with its id. */
function startForm(request: PageRequest, codes: readonly string[]): Html {
  const job = request.query.get('job_id');
  const chosen = job === null ? request.query.get('import_supplier') : null;
  const label = 'or only the accounts that an import job created (job ID):';
  return html`<h2>Start a reconciliation</h2>
    ${form(request, {
      action: CERTIFICATES,
      id: 'compared',
      fields: [
        { ...supplierChoice(codes, chosen, '–'), label: 'All created accounts of an import supplier:' },
        { label, name: 'job_id', value: job, maxlength: 36 },
      ],
      button: 'Start',
    })}`;
}

/** The list, which refreshes. */
async function listPart(request: PageRequest): Promise<Html> {
  const { query, now } = request;
  const { reconciliations, next } = accepted(await readReconciliations(request, query));
  const list = table(
    'Reconciliations, newest first',
    reconciliations,
    [
      ['Result', stateBadge],
      [
        'Import supplier',
        ({ import_supplier: supplier, job_id: job }) =>
          html`${supplier}
          ${job !== null && html`<br /><small>${link(jobPath(job), html`job ${code(job.slice(0, 8))}`)}</small>`}`,
      ],
      ['Progress', comparedBar],
      ['Accounts', ({ counts }) => count(counts.accounts), 'number'],
      ['Accounts that differ', ({ counts }) => count(counts.different), 'number'],
      ['Actual or estimated end', (one) => fromNow(one.ended_at ?? one.estimated_end_at, now)],
      ['Started', ({ created_at: at }) => fromNow(at, now)],
      [
        '',
        ({ reconciliation_id: id }) =>
          html`<a href="${certificatePath(id)}" aria-label="Open the reconciliation ${id}">Open</a>`,
      ],
    ],
    'There are no reconciliations.',
  );
  const body = html`${list}
    <p class="fine">As of ${moment(now)}.</p>
    ${nextPage(next && `${CERTIFICATES}?${next.toString()}`)}`;
  const narrowed = { import_supplier: query.get('import_supplier'), before: query.get('before') };
  return livePart({ id: 'reconciliations', from: addressOf(`${CERTIFICATES}/list`, narrowed) }, body);
}
