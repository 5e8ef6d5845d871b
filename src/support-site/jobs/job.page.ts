import { findAuditOf } from '../../access/index.ts';
import {
  readJob,
  readResultsAsOperator,
  steerJobAsOperator,
  temporalImportJobRuns,
  type JobVerb,
  type JobView,
} from '../../import-jobs/index.ts';
import type { CauseView } from '../../import-jobs/results/cause.schema.ts';
import { pauseReasons, type PauseReason } from '../../vocabulary/import-jobs.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { nothing } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { causesTable } from './causes.ts';
import { aboutPart, isOver, jobAuditPart, resultsPart, standingPart } from './job-parts.ts';

const PATH = '/jobs/:job';
const POLL = 'every 3s';
/** Causes on the page of a job; the others have a page of their own. */
const CAUSES_SHOWN = 10;
const AUDIT_SHOWN = 20;

/** One job: how far it is, what fails, its results, and pause, resume and cancel. */
export function jobPages(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', show: (request) => showJob(deps, request) },
    {
      method: 'GET',
      path: `${PATH}/progress`,
      action: 'look',
      isPolled: true,
      show: (request) => showProgress(deps, request),
    },
    { method: 'GET', path: `${PATH}/causes`, action: 'look', show: (request) => showCauses(deps, request) },
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

async function showJob(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const found = await readJob(deps.database, request, { viewer: undefined, causesMax: CAUSES_SHOWN });
  if (isRefused(found)) return found;
  const { job } = found;
  const subject = `import-jobs/${job.job_id}`;
  const audit = await findAuditOf(deps.database.em(), [subject, `${subject}/results`], AUDIT_SHOWN);
  const body = html`${progressPart(found, deps)} ${actionsPart(job, request)} ${resultsPart(job, request)}
  ${aboutPart(job, deps)} ${jobAuditPart(audit)}`;
  return { title: job.name ?? `Import job of ${job.import_supplier}`, body };
}

/** Where another button is due than those that were shown last, the actions are sent too; else they stay, with what was typed. */
async function showProgress(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const found = await readJob(deps.database, request, { viewer: undefined, causesMax: CAUSES_SHOWN });
  if (isRefused(found)) return found;
  const isSame = request.query.get('shown') === actionsShown(found.job);
  return { fragment: html`${progressPart(found, deps)} ${!isSame && otherActionsPart(found.job, request)}` };
}

function progressPart({ job, causes }: { job: JobView; causes: CauseView[] }, deps: SiteDeps): Html {
  const again = `/jobs/${job.job_id}/progress?shown=${encodeURIComponent(actionsShown(job))}`;
  return html`<section id="progress" hx-get="${again}" hx-trigger="${isOver(job) ? 'none' : POLL}" hx-swap="outerHTML">
    ${standingPart(job, deps.clock.now())}
    <h2>Causes</h2>
    ${causes.length === 0 ? nothing('Nothing failed, and there is no warning.') : causesTable(causes, deps, job.import_supplier)}
    ${causes.length === CAUSES_SHOWN && html`<p><a href="/jobs/${job.job_id}/causes">All causes</a></p>`}
  </section>`;
}

/** By what decides which buttons there are. */
function actionsShown(job: JobView): string {
  if (isOver(job)) return 'none';
  return job.paused_because ?? (job.status === 'OPEN' ? 'open' : 'at work');
}

/** Pauses that a resume ends; the others end by themselves, and would come back. */
const RESUMES: Readonly<Partial<Record<PauseReason, string>>> = {
  asked: 'Resume',
  canary: 'Approve the canary: do the other lines',
  too_many_failures: 'Accept the failures and go on',
};

function actionsPart(job: JobView, request: PageRequest): Html {
  return html`<section id="actions">${actionsOf(job, request)}</section>`;
}

/** The same, as a live part that takes the place of what stands there. */
function otherActionsPart(job: JobView, request: PageRequest): Html {
  return html`<section id="actions" hx-swap-oob="true">${actionsOf(job, request)}</section>`;
}

function actionsOf(job: JobView, request: PageRequest): Html | undefined {
  return request.may('import-job.steer') && !isOver(job) ? actionForms(job, request) : undefined;
}

function actionForms(job: JobView, { formToken }: PageRequest): Html {
  const because = job.paused_because;
  const resume = because === null ? undefined : RESUMES[because];
  const at = `/jobs/${job.job_id}`;
  const reasoned = (verb: 'pause' | 'cancel', name: string, ask: string) =>
    html`<form class="row" method="post" action="${at}/${verb}" data-ask="${ask}">
      ${formToken}<input
        name="reason"
        maxlength="1000"
        required
        placeholder="Reason, for the audit"
        aria-label="Reason"
      />
      <button class="${verb === 'cancel' ? 'danger' : 'quiet'}">${name}</button>
    </form>`;
  return html`<h2>Do</h2>
    ${
      resume !== undefined &&
      html`<form class="row" method="post" action="${at}/resume">
        ${formToken}<input type="hidden" name="seen" value="${because}" /><button>${resume}</button>
      </form>`
    }
    ${resume === undefined && job.status !== 'OPEN' && reasoned('pause', 'Pause', '')}
    ${reasoned('cancel', 'Cancel', 'Cancel this job? What was done stays; the rest stays unprocessed.')}`;
}

async function showCauses(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const found = await readJob(deps.database, request, { viewer: undefined, causesMax: undefined });
  if (isRefused(found)) return found;
  const { job, causes } = found;
  const body = html`<p><a href="/jobs/${job.job_id}">To the job</a></p>
    ${causes.length === 0 ? nothing('There are none.') : causesTable(causes, deps, job.import_supplier)}`;
  return { title: `Causes of ${job.name ?? 'the import job'}`, body };
}

/** The whole result is never held: it is read as fast as it is taken. */
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
  pause: 'Paused. What is being worked on is ended first, within seconds.',
  resume: 'It goes on.',
  cancel: 'Cancelled. What was done stays.',
};

async function steer(deps: SiteDeps, verb: JobVerb, request: PageRequest): Promise<PageAnswer> {
  const { params, form, actor } = request;
  const reason = form.get('reason') ?? '';
  const order = { params, caller: actor, body: reason === '' ? {} : { reason }, seen: seenIn(form) };
  const done = await steerJobAsOperator({ ...deps, runs: temporalImportJobRuns(deps) }, verb, order);
  if (isRefused(done)) return done;
  const isOther = verb === 'resume' && (done.body as { status: string }).status === 'PAUSED';
  const text = isOther ? 'Nothing was done: it is paused for another reason by now.' : DONE[verb];
  return { redirect: `/jobs/${params['job']}`, flash: { kind: isOther ? 'problem' : 'done', text } };
}

/** What a resume is meant for: the canary that was looked at, not the failures that came since. */
function seenIn(form: URLSearchParams): PauseReason | undefined {
  const seen = form.get('seen') ?? '';
  return Object.hasOwn(pauseReasons, seen) ? (seen as PauseReason) : undefined;
}
