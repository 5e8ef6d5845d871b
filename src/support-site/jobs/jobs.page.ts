import {
  acceptDifferencesOfJob,
  findJobWaits,
  readJob,
  readJobs,
  readResultsAsOperator,
  readStagedCauses,
  steerJobAsOperator,
  withExampleDetails,
  type JobVerb,
  type JobView,
} from '../../import-jobs/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { importJobStatuses, pauseReasons, type PauseReason } from '../../vocabulary/import-jobs.ts';
import { code, count, fromNow, link, moment } from '../frame/cells.ts';
import { auditTable, livePart, nextPage, table } from '../frame/parts.ts';
import { filterForm, form, reason, reasonForm, supplierChoice } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import {
  accepted,
  done,
  handler,
  page,
  polledPart,
  problem,
  type PageAnswer,
  type PageRequest,
} from '../frame/page.ts';
import { addressOf, jobPath } from '../frame/paths.ts';
import {
  aboutPart,
  canaryPart,
  causesTable,
  isOver,
  jobBar,
  jobCauses,
  resultsPart,
  standingPart,
  statusBadge,
  waitSentence,
} from './job-parts.ts';
import { findAuditOf } from '../../access/index.ts';
import type { ManifestView } from '../../import-jobs/manifest/manifest-view.rules.ts';
import { manifestPart } from './manifest-part.ts';
import type { CauseView } from '../../import-jobs/results.schema.ts';
import { fieldsIn } from '../frame/form-checks.ts';

const SUPPLIER_CAUSES = '/jobs/causes/:supplier';
const JOB = '/jobs/:job';

/** Import jobs: the list, single jobs with the forms that steer them, and the causes of all staged accounts of a supplier. */
export const jobPages = [
  page('/jobs', async (request) => {
    const list = await listPart(request);
    return { title: 'Import jobs', body: html`${await filters(request)} ${list}` };
  }),
  polledPart('/jobs/list', listPart),
  page(SUPPLIER_CAUSES, showSupplierCauses),
  page(`${SUPPLIER_CAUSES}/counted`, countSupplierCauses, { isLong: true }),
  page(JOB, showJob),
  polledPart(`${JOB}/progress`, showProgress),
  page(`${JOB}/causes`, showCauses),
  page(`${JOB}/results/:outcome`, sendResults, { action: 'import-job.results', isLong: true }),
  ...(['pause', 'resume', 'cancel'] as const).map((verb) =>
    handler(`${JOB}/${verb}`, 'import-job.steer', (request) => steer(verb, request)),
  ),
  handler(`${JOB}/accept-differences`, 'manifest.accept', acceptDifferences),
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
async function listPart({ database, query, now, viewer }: PageRequest): Promise<Html> {
  const wanted = new URLSearchParams([...query].filter(([, value]) => value !== ''));
  const { jobs, next } = accepted(await readJobs(database, wanted, viewer));
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

/** Causes on the page of a job; all of them have a page of their own. */
const CAUSES_SHOWN = 10;
const AUDIT_SHOWN = 20;

/** A job with all its causes; those that its page shows have the sentence of their example line. */
interface FoundJob {
  job: JobView;
  causes: CauseView[];
  manifest: ManifestView | null;
}

async function findJob(request: PageRequest, causesShown?: number): Promise<FoundJob> {
  const { database } = request;
  const found = accepted(await readJob(database, request, { viewer: undefined, causesMax: undefined }));
  const { job, causes, manifest } = found;
  const shown = await withExampleDetails(database, job.job_id, causes.slice(0, causesShown));
  return { job, causes: [...shown, ...causes.slice(shown.length)], manifest };
}

async function showJob(request: PageRequest): Promise<PageAnswer> {
  const found = await findJob(request, CAUSES_SHOWN);
  const { job } = found;
  const subject = `import-jobs/${job.job_id}`;
  const audit =
    request.may('look') && (await findAuditOf(request.database.em(), [subject, `${subject}/results`], AUDIT_SHOWN));
  const progress = await progressPart(found, request);
  const actions = html`<section id="actions">${await actionsOf(found, request)}</section>`;
  // A canary waits for a decision, so its figures and the form come first.
  const body = html`${job.paused_because === 'canary' ? [actions, progress] : [progress, actions]}
  ${resultsPart(job, request)} ${aboutPart(job, request)}
  ${
    audit &&
    html`<section>
      <h2>Audit</h2>
      ${auditTable('Audit', audit, 'There are no entries.')}
    </section>`
  }`;
  return { title: job.name ?? `Import job of ${job.import_supplier}`, body };
}

/** The forms are sent only when other ones apply, so that a reason that is being typed is kept. */
async function showProgress(request: PageRequest): Promise<Html> {
  const found = await findJob(request, CAUSES_SHOWN);
  const isSame = request.query.get('shown') === actionsShown(found.job);
  return html`${await progressPart(found, request)}
  ${!isSame && html`<section id="actions" hx-swap-oob="true">${await actionsOf(found, request)}</section>`}`;
}

async function progressPart({ job, causes, manifest }: FoundJob, request: PageRequest): Promise<Html> {
  const at = jobPath(job.job_id);
  const again = `${at}/progress?shown=${encodeURIComponent(actionsShown(job))}`;
  const wait = (await findJobWaits(request.database, [job.job_id])).get(job.job_id);
  const body = html`${standingPart(job, wait, request.now)} ${manifestPart(manifest)}
    <h2>Causes</h2>
    ${jobCauses(job, causes.slice(0, CAUSES_SHOWN), request)}
    ${causes.length > CAUSES_SHOWN && html`<p>${link(`${at}/causes`, 'All causes')}</p>`}`;
  return livePart({ id: 'progress', from: isOver(job) ? undefined : again, everySeconds: 3 }, body);
}

/** The state that decides which forms apply. */
function actionsShown(job: JobView): string {
  if (isOver(job)) return 'none';
  return job.paused_because ?? (job.status === 'OPEN' ? 'open' : 'at work');
}

/** Pauses that a person ends; the others end automatically. */
const RESUMES: Readonly<Partial<Record<PauseReason, string>>> = {
  asked: 'Resume the job',
  canary: 'Approve the canary and process the other records',
  too_many_failures: 'Accept the failures and resume the job',
  key_revoked: 'Resume the job',
};

async function actionsOf(found: FoundJob, request: PageRequest): Promise<Html> {
  const { job } = found;
  return html`${job.paused_because === 'canary' && (await canaryPart(found, request))}
  ${job.paused_because === 'manifest_mismatch' && request.may('manifest.accept') && acceptForm(job, request)}
  ${request.may('import-job.steer') && !isOver(job) && actionForms(job, request)}
  ${isWithdrawable(job) && request.may('account.withdraw') && html`<p>${link(`${jobPath(job.job_id)}/withdraw`, 'Withdraw the accounts of this job')}</p>`}`;
}

const isWithdrawable = (job: JobView) => isOver(job) && job.goal === 'CREATE';

function acceptForm({ job_id: id }: JobView, request: PageRequest): Html {
  return html`<h2>Differences from the manifest</h2>
    ${reasonForm(request, { action: `${jobPath(id)}/accept-differences`, button: 'Accept the differences and continue' })}`;
}

function actionForms({ job_id: id, status, paused_because: because }: JobView, request: PageRequest): Html {
  const button = because === null ? undefined : RESUMES[because];
  const at = jobPath(id);
  const given = { ...reason(true), placeholder: 'Reason, for the audit' };
  return html`<h2>Actions</h2>
    ${
      button !== undefined &&
      form(request, {
        action: `${at}/resume`,
        hidden: { seen: because },
        fields: [because === 'canary' && given],
        button,
        look: 'row',
      })
    }
    ${
      button === undefined &&
      because !== 'manifest_mismatch' &&
      status !== 'OPEN' &&
      reasonForm(request, { action: `${at}/pause`, fields: [given], button: 'Pause the job', tone: 'quiet' })
    }
    ${reasonForm(request, {
      action: `${at}/cancel`,
      fields: [given],
      button: 'Cancel the job',
      tone: 'danger',
      ask: 'Cancel this job? Completed records are kept; the others stay unprocessed.',
    })}`;
}

async function showCauses(request: PageRequest): Promise<PageAnswer> {
  const { job, causes } = await findJob(request);
  const body = html`<p>${link(jobPath(job.job_id), 'Back to the job')}</p>
    ${jobCauses(job, causes, request)}`;
  return { title: `Causes of ${job.name ?? 'the import job'}`, body };
}

/** Streams the results, which may be larger than memory. */
async function sendResults(request: PageRequest): Promise<PageAnswer> {
  const { job, outcome = '' } = request.params;
  const wanted = new URLSearchParams({ outcome });
  for (const form of request.query.getAll('form')) wanted.append('form', form);
  const { body } = accepted(await readResultsAsOperator(request, request, wanted));
  return { download: `${job}-${outcome}.ndjson`, type: 'application/x-ndjson', content: body };
}

const DONE: Record<JobVerb, string> = {
  pause: 'The job is paused. Records in progress are completed within seconds.',
  resume: 'The job was resumed.',
  cancel: 'The job was canceled. Completed records are kept.',
};

async function acceptDifferences(request: PageRequest): Promise<PageAnswer> {
  accepted(await acceptDifferencesOfJob(request, { ...request, body: fieldsIn(request.form) }));
  return done(jobPath(request.params['job'] ?? ''), 'The differences are accepted.');
}

async function steer(verb: JobVerb, request: PageRequest): Promise<PageAnswer> {
  const { seen = '', ...body } = fieldsIn(request.form);
  // A job that is paused for another reason than the form was shown for is not resumed.
  const pause = Object.hasOwn(pauseReasons, seen) ? (seen as PauseReason) : undefined;
  const reply = accepted(await steerJobAsOperator(request, verb, { ...request, body, seen: pause }));
  const at = jobPath(request.params['job'] ?? '');
  const isOther = verb === 'resume' && (reply.body as { status: string }).status === 'PAUSED';
  return isOther ? problem(at, 'Nothing was changed: the job is now paused for another reason.') : done(at, DONE[verb]);
}
