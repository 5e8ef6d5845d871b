import { findAuditOf } from '../../access/index.ts';
import {
  findJobWaits,
  readJob,
  readResultsAsOperator,
  steerJobAsOperator,
  temporalImportJobRuns,
  withExampleDetails,
  type JobVerb,
  type JobView,
} from '../../import-jobs/index.ts';
import type { CauseView } from '../../import-jobs/results.schema.ts';
import { pauseReasons, type PauseReason } from '../../vocabulary/import-jobs.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { nothing } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { polledPart, type Page, type PageAnswer, type PageRequest, type SiteDeps } from '../frame/page.ts';
import { canaryPart, causesTable } from './causes.ts';
import { jobRecordPages } from './job-records.page.ts';
import { aboutPart, isOver, jobAuditPart, resultsPart, standingPart } from './job-parts.ts';

const PATH = '/jobs/:job';
const POLL = 'every 3s';
/** Causes on the page of a job; all of them have a page of their own. */
const CAUSES_SHOWN = 10;
const AUDIT_SHOWN = 20;

/** One job: progress, causes of failures, results, and the forms to pause, resume and cancel it. */
export function jobPages(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', show: (request) => showJob(deps, request) },
    polledPart(`${PATH}/progress`, (request) => showProgress(deps, request)),
    { method: 'GET', path: `${PATH}/causes`, action: 'look', show: (request) => showCauses(deps, request) },
    ...jobRecordPages(deps),
    {
      method: 'GET',
      path: `${PATH}/results/:outcome`,
      action: 'import-job.results',
      isLong: true,
      show: (request) => sendResults(deps, request),
    },
    ...(['pause', 'resume', 'cancel'] as const).map((verb): Page => ({
      method: 'POST',
      path: `${PATH}/${verb}`,
      action: 'import-job.steer',
      show: (request) => steer(deps, verb, request),
    })),
  ];
}

/** A job with all its causes; those that its page shows have the sentence of their example line. */
interface FoundJob {
  job: JobView;
  causes: CauseView[];
}

async function findJob({ database }: SiteDeps, request: PageRequest): Promise<FoundJob | Refused> {
  const found = await readJob(database, request, { viewer: undefined, causesMax: undefined });
  if (isRefused(found)) return found;
  const shown = await withExampleDetails(database, found.job.job_id, found.causes.slice(0, CAUSES_SHOWN));
  return { ...found, causes: [...shown, ...found.causes.slice(CAUSES_SHOWN)] };
}

async function showJob(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const found = await findJob(deps, request);
  if (isRefused(found)) return found;
  const { job } = found;
  const subject = `import-jobs/${job.job_id}`;
  const audit = await findAuditOf(deps.database.em(), [subject, `${subject}/results`], AUDIT_SHOWN);
  const [progress, actions] = [await progressPart(found, deps), actionsPart(found, request)];
  // A canary waits for a decision, so its figures and the form come first.
  const body = html`${job.paused_because === 'canary' ? [actions, progress] : [progress, actions]}
  ${resultsPart(job, request)} ${aboutPart(job, deps)} ${jobAuditPart(audit)}`;
  return { title: job.name ?? `Import job of ${job.import_supplier}`, body };
}

/** The forms are sent only when other ones apply, so that a reason that is being typed is kept. */
async function showProgress(deps: SiteDeps, request: PageRequest): Promise<Html | Refused> {
  const found = await findJob(deps, request);
  if (isRefused(found)) return found;
  const isSame = request.query.get('shown') === actionsShown(found.job);
  return html`${await progressPart(found, deps)} ${!isSame && otherActionsPart(found, request)}`;
}

async function progressPart({ job, causes }: FoundJob, deps: SiteDeps): Promise<Html> {
  const again = `/jobs/${job.job_id}/progress?shown=${encodeURIComponent(actionsShown(job))}`;
  const wait = (await findJobWaits(deps.database, [job.job_id])).get(job.job_id);
  return html`<section id="progress" hx-get="${again}" hx-trigger="${isOver(job) ? 'none' : POLL}" hx-swap="outerHTML">
    ${standingPart(job, wait, deps.clock.now())}
    <h2>Causes</h2>
    ${
      causes.length === 0
        ? nothing('No record failed or has a warning.')
        : causesTable(causes.slice(0, CAUSES_SHOWN), deps, { supplier: job.import_supplier, jobId: job.job_id })
    }
    ${causes.length > CAUSES_SHOWN && html`<p><a href="/jobs/${job.job_id}/causes">All causes</a></p>`}
  </section>`;
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

function actionsPart(found: FoundJob, request: PageRequest): Html {
  return html`<section id="actions">${actionsOf(found, request)}</section>`;
}

/** The forms as a live part that replaces the present ones. */
function otherActionsPart(found: FoundJob, request: PageRequest): Html {
  return html`<section id="actions" hx-swap-oob="true">${actionsOf(found, request)}</section>`;
}

function actionsOf(found: FoundJob, request: PageRequest): Html {
  const { job } = found;
  return html`${job.paused_because === 'canary' && canaryPart(found)}
  ${request.may('import-job.steer') && !isOver(job) && actionForms(job, request)}`;
}

function actionForms(job: JobView, { formToken }: PageRequest): Html {
  const because = job.paused_because;
  const resume = because === null ? undefined : RESUMES[because];
  const at = `/jobs/${job.job_id}`;
  const reason = html`<input
    name="reason"
    maxlength="1000"
    required
    placeholder="Reason, for the audit"
    aria-label="Reason"
  />`;
  const reasoned = (verb: 'pause' | 'cancel', name: string, ask: string) =>
    html`<form class="row" method="post" action="${at}/${verb}" data-ask="${ask}">
      ${formToken}${reason} <button class="${verb === 'cancel' ? 'danger' : 'quiet'}">${name}</button>
    </form>`;
  return html`<h2>Actions</h2>
    ${
      resume !== undefined &&
      html`<form class="row" method="post" action="${at}/resume">
        ${formToken}<input type="hidden" name="seen" value="${because}" /> ${because === 'canary' && reason}
        <button>${resume}</button>
      </form>`
    }
    ${resume === undefined && job.status !== 'OPEN' && reasoned('pause', 'Pause the job', '')}
    ${reasoned('cancel', 'Cancel the job', 'Cancel this job? Completed records are kept; the others stay unprocessed.')}`;
}

async function showCauses(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const found = await readJob(deps.database, request, { viewer: undefined, causesMax: undefined });
  if (isRefused(found)) return found;
  const { job } = found;
  const causes = await withExampleDetails(deps.database, job.job_id, found.causes);
  const body = html`<p><a href="/jobs/${job.job_id}">Back to the job</a></p>
    ${
      causes.length === 0
        ? nothing('No record failed or has a warning.')
        : causesTable(causes, deps, { supplier: job.import_supplier, jobId: job.job_id })
    }`;
  return { title: `Causes of ${job.name ?? 'the import job'}`, body };
}

/** Streams the results, which may be larger than memory. */
async function sendResults(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { params, query, actor } = request;
  const { job, outcome = '' } = params;
  const wanted = new URLSearchParams({ outcome });
  for (const form of query.getAll('form')) wanted.append('form', form);
  const results = await readResultsAsOperator(deps, { params, caller: actor }, wanted);
  if (isRefused(results)) return results;
  return { download: `${job}-${outcome}.ndjson`, type: 'application/x-ndjson', content: results.body };
}

const DONE: Record<JobVerb, string> = {
  pause: 'The job is paused. Records in progress are completed within seconds.',
  resume: 'The job was resumed.',
  cancel: 'The job was canceled. Completed records are kept.',
};

async function steer(deps: SiteDeps, verb: JobVerb, request: PageRequest): Promise<PageAnswer> {
  const { params, form, actor } = request;
  const reason = form.get('reason') ?? '';
  const order = { params, caller: actor, body: reason === '' ? {} : { reason }, seen: seenIn(form) };
  const done = await steerJobAsOperator({ ...deps, runs: temporalImportJobRuns(deps) }, verb, order);
  if (isRefused(done)) return done;
  const isOther = verb === 'resume' && (done.body as { status: string }).status === 'PAUSED';
  const text = isOther ? 'Nothing was changed: the job is now paused for another reason.' : DONE[verb];
  return { redirect: `/jobs/${params['job']}`, flash: { kind: isOther ? 'problem' : 'done', text } };
}

/** The pause that the form was shown for; a job that is paused for another reason by now is not resumed. */
function seenIn(form: URLSearchParams): PauseReason | undefined {
  const seen = form.get('seen') ?? '';
  return Object.hasOwn(pauseReasons, seen) ? (seen as PauseReason) : undefined;
}
