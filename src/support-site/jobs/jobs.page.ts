import {
  acceptDifferencesOfJob,
  findJobWaits,
  readJob,
  readJobs,
  readRecords,
  readResultsAsOperator,
  steerJobAsOperator,
  withExampleDetails,
  type FoundJob,
  type JobWait,
  type JobVerb,
  type JobView,
} from '../../import-jobs/index.ts';
import type { Words } from '../../vocabulary/french-site.ts';
import { importJobStatuses, pauseReasons, type PauseReason } from '../../vocabulary/import-jobs.ts';
import { buttonLink, code, count, fromNow, link } from '../frame/cells.ts';
import { listPages, numbers, type List } from '../frame/list.ts';
import { auditPart, livePart, replacedParts } from '../frame/parts.ts';
import { codeOptions, reason, reasonForm, supplierFilter } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t } from '../frame/language.ts';
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
import { causesPath, jobPath, JOBS } from '../frame/paths.ts';
import {
  aboutPart,
  isOver,
  jobBar,
  jobWords,
  resultsPart,
  standingPart,
  statusBadge,
  waitSentence,
  manifestPart,
} from './job-parts.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { jobCauses } from './job-causes.ts';
import { decisionPart, isRiskConfirmed, needsDecision } from './job-decision.ts';
import { missingPart, recordsPath, recordsTable, supplierTextPart } from './job-records.page.ts';
import { NEW_JOB, uploadPart, uploadPages } from './upload.page.ts';

const JOB = `${JOBS}/:job`;

/** Import jobs: the list, new ones, and single jobs with the forms that steer them. */
export const jobPages = [
  ...uploadPages,
  ...listPages({
    path: JOBS,
    title: () => t('Jobs'),
    list: jobsOf,
    isLive: true,
    body: ({ query, may }, list) => {
      const supplier = query.get('import_supplier');
      return html`<p class="row">
          ${may('import-job.upload') && buttonLink(NEW_JOB, t('New job'))}
          ${supplier && link(causesPath(supplier), t('Causes of all staged accounts of {supplier}', { supplier }))}
        </p>
        ${list}`;
    },
  }),
  page(JOB, showJob),
  polledPart(`${JOB}/progress`, showProgress),
  page(`${JOB}/causes`, showCauses),
  page(`${JOB}/results/:outcome`, sendResults, { action: 'import-job.results', isLong: true }),
  ...(['pause', 'resume', 'cancel'] as const).map((verb) =>
    handler(`${JOB}/${verb}`, 'import-job.steer', (request) => steer(verb, request)),
  ),
  handler(`${JOB}/accept-differences`, 'manifest.accept', acceptDifferences),
];

type ListedJob = JobView & { wait: JobWait | undefined };

/** Sorted by the time-ordered keys of jobs. */
async function jobsOf(request: PageRequest): Promise<List<ListedJob>> {
  const { database, query, now, viewer } = request;
  const options = [['', t('all')] as const, ...codeOptions(Object.keys(importJobStatuses))];
  return {
    name: 'jobs',
    path: JOBS,
    label: t('Import jobs, newest first'),
    filters: [
      await supplierFilter(request),
      { label: t('Status'), name: 'status', value: query.get('status'), options },
    ],
    sorts: ['-created_at'],
    columns: {
      job_id: [t('Job'), ({ job_id: id, name }) => link(jobPath(id), name ?? code(id)), 'row'],
      status: [
        t('Status'),
        (job) => html`${statusBadge(job)} ${job.wait && html`<br /><small>${waitSentence(job.wait)}</small>`}`,
      ],
      import_supplier: [t('Import supplier')],
      kind: [t('Kind and goal'), jobWords],
      counts: [
        t('Progress'),
        (job) => {
          const { succeeded, failed, accepted: all } = job.counts;
          return html`${jobBar(job)} <small>${t('{done} of {all}', { done: succeeded + failed, all })}</small>`;
        },
      ],
      failed: numbers(t('Failed'), ({ counts }) => counts.failed),
      rate: [t('Rate'), ({ lines_per_second: rate }) => rate > 0 && `${count(Math.round(rate))}/s`, 'number'],
      ended_at: [t('Actual or estimated end'), (job) => fromNow(job.ended_at ?? job.estimated_end_at, now)],
      created_at: [t('Opened'), (job) => fromNow(job.created_at, now)],
    },
    file: ['job_id', 'name', 'import_supplier', 'kind', 'goal', 'status', 'counts', 'ended_at', 'created_at'],
    read: async (window) => {
      const { jobs, next } = accepted(await readJobs(database, window.query, viewer, window.limit));
      const ids = jobs.map(({ job_id: id }) => id);
      const waits = await findJobWaits(database, ids);
      return { rows: jobs.map((job) => ({ ...job, wait: waits.get(job.job_id) })), next };
    },
    empty: t('No import job matches these filters.'),
  };
}

/** Causes on the page of a job; all of them have a page of their own. */
const CAUSES_SHOWN = 10;

const RECORDS_SHOWN = 10;

/** A job with all its causes; those that its page shows have the sentence of their example line. */
async function findJob(request: PageRequest, causesShown?: number): Promise<FoundJob> {
  const { database } = request;
  const found = accepted(await readJob(database, request, { viewer: undefined, causesMax: undefined }));
  const shown = await withExampleDetails(database, found.job.job_id, found.causes.slice(0, causesShown));
  return { ...found, causes: [...shown, ...found.causes.slice(shown.length)] };
}

async function showJob(request: PageRequest): Promise<PageAnswer> {
  const found = await findJob(request, CAUSES_SHOWN);
  const { job } = found;
  const subject = `import-jobs/${job.job_id}`;
  const body = html`<section id="decision">${await decisionPart(found, request)}</section>
    ${await uploadPart(job, request)} ${await progressPart(found, request)}
    <section id="actions">${actionsOf(found, request)}</section>
    <section id="failed">${await failedPart(found, request)}</section>
    ${resultsPart(job, request)}
    <section id="about">${aboutPart(job, request)}</section>
    ${await auditPart(request, t('Audit'), subject, `${subject}/results`)}`;
  return { title: job.name ?? t('Import job of {supplier}', { supplier: job.import_supplier }), body };
}

/** The other parts are sent only when the state is another, so that a reason that is being typed is kept. */
async function showProgress(request: PageRequest): Promise<Html> {
  const found = await findJob(request, CAUSES_SHOWN);
  const isSame = request.query.get('shown') === actionsShown(found.job);
  return html`${await progressPart(found, request)}
  ${
    !isSame &&
    replacedParts({
      decision: await decisionPart(found, request),
      actions: actionsOf(found, request),
      failed: await failedPart(found, request),
      about: aboutPart(found.job, request),
    })
  }`;
}

async function progressPart(found: FoundJob, request: PageRequest): Promise<Html> {
  const { job, causes, manifest } = found;
  const at = jobPath(job.job_id);
  const again = `${at}/progress?shown=${encodeURIComponent(actionsShown(job))}`;
  const wait = (await findJobWaits(request.database, [job.job_id])).get(job.job_id);
  const body = html`${standingPart(found, wait, request)} ${manifestPart(manifest)}
    <h2>${t('Causes')}</h2>
    ${jobCauses(job, causes.slice(0, CAUSES_SHOWN), request)}
    ${causes.length > CAUSES_SHOWN && html`<p>${link(`${at}/causes`, t('All causes'))}</p>`}`;
  return livePart({ id: 'progress', from: isOver(job) ? undefined : again, everySeconds: 3 }, body);
}

/** The first failed records, how many of them are still missing, and a text about them for the supplier. */
async function failedPart({ job, causes }: FoundJob, { lists }: PageRequest): Promise<Part> {
  if (job.counts.failed === 0) return '';
  const { records } = await readRecords(lists, job, { outcome: 'failed', after: 0, limit: RECORDS_SHOWN });
  const all = recordsPath(job.job_id, 'failed');
  return html`<h2>${t('Failed records')}</h2>
    ${missingPart(job)} ${recordsTable(t('First failed records'), job, records, t('The records are deleted.'))}
    <p class="row">
      ${buttonLink(all, t('All {count} failed records', { count: job.counts.failed }))}
      ${buttonLink(`${all}.csv`, t('Download as CSV'))}
    </p>
    ${supplierTextPart(job, causes)}`;
}

/** The state that decides which forms apply. */
function actionsShown(job: JobView): string {
  if (isOver(job)) return 'none';
  return job.paused_because ?? (job.status === 'OPEN' ? 'open' : 'at work');
}

/** The forms of a job that waits for no decision. */
function actionsOf(found: FoundJob, request: PageRequest): Part {
  const { job } = found;
  const at = jobPath(job.job_id);
  if (isOver(job)) {
    const isWithdrawable = job.goal === 'CREATE' && request.may('account.withdraw');
    return isWithdrawable && html`<p>${link(`${at}/withdraw`, t('Withdraw the accounts of this job'))}</p>`;
  }
  if (needsDecision(found) || !request.may('import-job.steer')) return '';
  const given = { ...reason(true), placeholder: t('Reason, for the audit') };
  const pause = { action: `${at}/pause`, fields: [given], button: t('Pause the job'), tone: 'quiet' } as const;
  return html`<h2>${t('Actions')}</h2>
    ${job.status !== 'OPEN' && reasonForm(request, pause)}
    ${reasonForm(request, {
      action: `${at}/cancel`,
      fields: [given],
      button: t('Cancel the job'),
      tone: 'danger',
      ask: t('Cancel this job? Completed records are kept; the others stay unprocessed.'),
    })}`;
}

async function showCauses(request: PageRequest): Promise<PageAnswer> {
  const { job, causes } = await findJob(request);
  const body = html`<p>${link(jobPath(job.job_id), t('Back to the job'))}</p>
    ${jobCauses(job, causes, request)}`;
  return { title: t('Causes of {name}', { name: job.name ?? t('the import job') }), body };
}

/** Streams the results, which may be larger than memory. */
async function sendResults(request: PageRequest): Promise<PageAnswer> {
  const { job, outcome = '' } = request.params;
  const wanted = new URLSearchParams({ outcome });
  for (const form of request.query.getAll('form')) wanted.append('form', form);
  const { body } = accepted(await readResultsAsOperator(request, request, wanted));
  return { download: `${job}-${outcome}.ndjson`, type: 'application/x-ndjson', content: body };
}

const DONE: Record<JobVerb, Words> = {
  pause: 'The job is paused. Records in progress are completed within seconds.',
  resume: 'The job was resumed.',
  cancel: 'The job was canceled. Completed records are kept.',
};

async function acceptDifferences(request: PageRequest): Promise<PageAnswer> {
  accepted(await acceptDifferencesOfJob(request, { ...request, body: fieldsIn(request.form) }));
  return done(jobPath(request.params['job'] ?? ''), t('The differences are accepted.'));
}

async function steer(verb: JobVerb, request: PageRequest): Promise<PageAnswer> {
  const { seen = '', expected, next, ...body } = fieldsIn(request.form);
  const at = jobPath(request.params['job'] ?? '');
  if (verb === 'resume' && !isRiskConfirmed(await findJob(request, 0), expected)) {
    const why = t('Nothing was changed: type the number of records that will probably fail or need a decision.');
    return problem(at, why);
  }
  // A job that is paused for another reason than the form was shown for is not resumed.
  const pause = Object.hasOwn(pauseReasons, seen) ? (seen as PauseReason) : undefined;
  const reply = accepted(await steerJobAsOperator(request, verb, { ...request, body, seen: pause }));
  const isOther = verb === 'resume' && (reply.body as { status: string }).status === 'PAUSED';
  if (isOther) return problem(at, t('Nothing was changed: the job is now paused for another reason.'));
  return next === 'withdraw' ? done(`${at}/withdraw`, t(DONE[verb])) : done(at, t(DONE[verb]));
}
