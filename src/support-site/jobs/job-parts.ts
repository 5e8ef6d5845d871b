import { readRecords, type JobView, type JobWait } from '../../import-jobs/index.ts';
import type { ImportJobSelection, PauseReason } from '../../vocabulary/import-jobs.ts';
import { tableOf } from '../../foundation/table.ts';
import { badge, bar, code, count, figure, fromNow, link, linkAway, moment } from '../frame/cells.ts';
import { nothing, pairs, table } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, CERTIFICATES, jobPath, wavePath } from '../frame/paths.ts';
import { placeName, recordsPath } from './job-records.page.ts';
import type { CauseView } from '../../import-jobs/results.schema.ts';
import { adviceOnFault, FORWARD_ADVICE } from '../frame/site-advice.rules.ts';

/** The meaning of each pause, and what ends it. */
const PAUSES = tableOf({
  asked: 'Paused manually. Resume the job to continue.',
  canary: 'The canary is complete. Check its figures, then approve it to process the other records.',
  too_many_failures: 'The job reached its limit of failures. Resume it to accept the failures so far.',
  key_revoked: 'The key that started the job was revoked. Resume or cancel the job.',
  manifest_mismatch:
    'The records differ from the manifest, and nothing is created. Accept the differences, or cancel the job and let the supplier correct its files.',
  outside_window: 'The job is outside its time window. It resumes automatically.',
  supplier_paused: 'The status of the import supplier is not Ongoing. The job resumes automatically when it is.',
  staged_accounts_max:
    'The import supplier reached its limit of staged accounts. The job resumes automatically when some are created.',
} satisfies Record<PauseReason, string>);

/** Whether a job has ended. */
export function isOver({ status }: Pick<JobView, 'status'>): boolean {
  return status === 'COMPLETED' || status === 'CANCELLED' || status === 'EXPIRED';
}

/** The name of a pause. */
export function pauseName(because: PauseReason): string {
  if (because === 'asked') return 'manually';
  return because === 'staged_accounts_max' ? 'limit of staged accounts' : because.replaceAll('_', ' ');
}

/** The status of a job, with the reason of a pause. */
export function statusBadge({ status, paused_because: because }: JobView): Html {
  if (status === 'PAUSED') return badge(`PAUSED: ${because === null ? '' : pauseName(because)}`, 'warn');
  return badge(status, status === 'COMPLETED' ? 'good' : 'plain');
}

/** What a job waits for, in a sentence. */
export function waitSentence({ party, since, nextTryAt, failure }: JobWait): Html {
  const sinceThen = since !== undefined && html` since ${moment(since)}`;
  return html`${party === undefined ? 'Waiting to retry records' : html`Waiting for <strong>${party}</strong>`}${sinceThen}.
  ${nextTryAt !== undefined && html`Next attempt: ${moment(nextTryAt)}.`} ${failure}`;
}

/** The progress of a job: succeeded, failed, and validated lines that are not created yet. */
export function jobBar({ counts, steps, goal }: JobView): Html {
  const { accepted, succeeded, failed, unprocessed } = counts;
  const validated = goal === 'CREATE' ? Math.max(0, steps.judged - succeeded - failed) : 0;
  const label = `${count(succeeded)} succeeded, ${count(failed)} failed, ${count(unprocessed)} unprocessed of ${count(accepted)}`;
  return bar(label, accepted, [
    { value: succeeded, tone: 'good' },
    { value: failed, tone: 'bad' },
    { value: validated, tone: 'plain' },
  ]);
}

/** Status, bar and counts of a job. @param wait undefined where it does not wait */
export function standingPart(job: JobView, wait: JobWait | undefined, now: Date): Html {
  const { counts, paused_because: because } = job;
  const pause = because === null ? undefined : PAUSES.get(because);
  const records = (outcome: 'succeeded' | 'failed') => link(recordsPath(job.job_id, outcome), count(counts[outcome]));
  return html`<p class="row">
      ${statusBadge(job)} <span>${job.import_supplier}</span> <span>${job.kind}, goal ${job.goal}</span>
    </p>
    ${pause !== undefined && html`<p class="flash flash-wait">${pause}</p>`}
    ${wait !== undefined && html`<p class="flash flash-wait">${waitSentence(wait)}</p>`}
    ${
      job.status === 'OPEN' &&
      html`<p>
        The supplier can upload parts until it starts the job. The job expires seven days after it was opened.
      </p>`
    }
    ${jobBar(job)}
    <div class="cards figures">
      ${figure('succeeded', records('succeeded'))} ${figure('failed', records('failed'))}
      ${figure('unprocessed', count(counts.unprocessed))} ${figure('in total', count(counts.accepted))}
      ${figure('with warnings', count(job.warnings))}
      ${job.lines_per_second > 0 && figure('records per second', count(Math.round(job.lines_per_second)))}
      ${job.estimated_end_at !== null && figure('estimated end', fromNow(job.estimated_end_at, now))}
    </div>
    ${stepsPart(job)}
    <p class="fine">As of ${moment(now)}.</p>`;
}

/** The steps of the goal CREATE; the counts show those of other goals. */
function stepsPart({ goal, steps, counts: { accepted } }: JobView): Html {
  if (goal !== 'CREATE') return html``;
  const all = [
    ['Validated', steps.judged],
    ['Staged', steps.staged],
    ['Created', steps.created],
  ] as const;
  return table('Steps', all, [
    ['Step', ([name]) => name],
    ['Records', ([, done]) => count(done), 'number'],
    [
      'Progress',
      ([name, done]) => bar(`${name}: ${count(done)} of ${count(accepted)}`, accepted, [{ value: done, tone: 'good' }]),
    ],
  ]);
}

const SELECTIONS: Record<ImportJobSelection, string> = {
  uploaded: 'as uploaded',
  staged: 'all staged accounts',
  wave: 'the accounts of the wave',
};

/** The options of a job, its times and its run. */
export function aboutPart(job: JobView, { runAddress }: PageRequest): Html {
  const run = runAddress(job.workflow_id);
  const { canary, stop_after_failures: stop, window, max_per_second: speed } = job.options;
  return html`<section>
    <h2>Options and times</h2>
    ${pairs([
      ['Job', code(job.job_id)],
      ['Run', linkAway(run, `Open in Temporal's web UI`, code(job.workflow_id))],
      ['Name', job.name ?? undefined],
      ['Operations team', job.operations_team_name ?? undefined],
      ['Wave', job.wave_id === null ? undefined : link(wavePath(job.wave_id), 'Open the wave')],
      ['Records', SELECTIONS[job.selection]],
      ['Canary', canary === undefined ? undefined : `${count(Number(canary))} records`],
      ['Pauses after failures', stop && stopOf(stop)],
      ['Time window', window && `${window.from} to ${window.to} in France`],
      ['Maximum records per second', speed === undefined ? undefined : count(Number(speed))],
      ['Opened', moment(job.created_at)],
      ['Started', moment(job.started_at)],
      ['Ended', moment(job.ended_at)],
    ])}
    ${
      job.goal === 'CREATE' &&
      job.kind === 'accounts' &&
      job.started_at !== null &&
      html`<p>
        ${link(addressOf(CERTIFICATES, { job_id: job.job_id }), 'Compare the created accounts with the accepted data')}
      </p>`
    }
  </section>`;
}

function stopOf({ count: most, percent }: NonNullable<JobView['options']['stop_after_failures']>): string {
  return [most && count(Number(most)), percent && `${String(percent)} %`].filter(Boolean).join(' or ');
}

/** The results as files, for people who may read personal data. */
export function resultsPart({ job_id: id }: JobView, request: PageRequest): Html {
  const files = [
    ['Failed, to correct and resend', 'failed?form=resend'],
    ['Failed', 'failed'],
    ['Succeeded, with their new numbers', 'succeeded'],
    ['Unprocessed', 'unprocessed'],
  ] as const;
  const at = `${jobPath(id)}/results`;
  return html`<section>
    <h2>Results</h2>
    ${
      request.may('import-job.results')
        ? html`<p class="row">
              ${files.map(([name, path]) => html`<a class="button quiet" href="${at}/${path}" download>${name}</a>`)}
            </p>
            <p class="fine">
              The files are JSON lines (NDJSON) with personal data. Each download is audited. The files are deleted some
              days after the job has ended.
            </p>`
        : html`<p class="fine">The results contain personal data. Only operators can download them.</p>`
    }
  </section>`;
}

/** The records that causes belong to. */
interface CausesOf {
  /** Of accounts that an example names. */
  supplier: string;
  /** The job that was counted; undefined for staged accounts. */
  jobId?: string;
  /** The sentence without causes. */
  empty: string;
}

/** The causes of a job, as a table. */
export function jobCauses(
  { job_id: jobId, import_supplier: supplier }: JobView,
  causes: readonly CauseView[],
  request: PageRequest,
) {
  return causesTable(causes, request, { supplier, jobId, empty: 'No record failed or has a warning.' });
}

/** Causes as a table, the one that blocks most records first. */
export function causesTable(causes: readonly CauseView[], { apiAddress }: PageRequest, of: CausesOf): Html {
  if (causes.length === 0) return nothing(of.empty);
  const alone = html`<abbr title="Records that have no other cause, so that correcting this one is enough"
    >Only cause</abbr
  >`;
  return html`${table('Causes', causes, [
      ['Cause', (one) => linkAway(apiAddress(one.page), badge(one.code, one.is_warning ? 'warn' : 'bad'))],
      ['Field', ({ place }) => placeName(place), 'place'],
      ['Records', (one) => recordsOf(one, of), 'number'],
      [alone, (one) => (one.is_warning ? '–' : count(one.alone)), 'number'],
      ['Example', (one) => exampleOf(one, of)],
      ['Detail and what to do', (one) => html`${one.detail}<br /><small>${adviceOnFault(one.code)}</small>`, 'advice'],
    ])}
    <p class="fine">${FORWARD_ADVICE}</p>`;
}

/** The number of records, with a link to their list where they failed in a job. */
function recordsOf({ code: cause, place, records, is_warning: isWarning }: CauseView, { jobId }: CausesOf): Part {
  if (jobId === undefined || isWarning || place === '*') return count(records);
  return link(recordsPath(jobId, 'failed', { code: cause, place }), count(records));
}

function exampleOf({ example }: CauseView, { supplier }: CausesOf): Html {
  const { line, value, external_account_number: number } = example;
  return html`${line !== null && html`line ${count(line)}`}
  ${number !== undefined && link(accountPath(supplier, number), code(number))}
  ${value !== null && html`<br />${code(value)}`}`;
}

/** The warning of an account whose supply point is on another account: its switch will wait for a decision. */
const CLAIM = 'supply_point_on_another_account';

/** Created accounts of a canary that the decision links to. */
const CANARY_EXAMPLES = 5;

/** The figures of a canary with its first accounts, and with what they come to for the whole job, and the lists of its records. */
export async function canaryPart(
  { job, causes }: { job: JobView; causes: readonly CauseView[] },
  { lists }: PageRequest,
): Promise<Html> {
  const created = await readRecords(lists, job.job_id, { outcome: 'succeeded', after: 0, limit: CANARY_EXAMPLES });
  const { accepted, succeeded, failed } = job.counts;
  const done = succeeded + failed;
  const found = causes.filter((cause) => cause.is_warning && cause.code === CLAIM);
  const claims = Math.min(
    succeeded,
    found.reduce((sum, { records }) => sum + records, 0),
  );
  const projected = (of: number) => count(done === 0 ? 0 : Math.round((of / done) * accepted));
  const rows = [
    [job.goal === 'CREATE' ? 'Created' : 'Succeeded', succeeded, recordsPath(job.job_id, 'succeeded')],
    ['Failed', failed, recordsPath(job.job_id, 'failed')],
    ['With a supply point on another account', claims, recordsPath(job.job_id, 'succeeded', { code: CLAIM })],
  ] as const;
  return html`<h2>Canary: ${count(done)} of ${count(accepted)} records</h2>
    ${
      claims > succeeded / 2 &&
      html`<p class="flash flash-problem">
        <strong
          >${count(claims)} of ${count(succeeded)} accounts have a supply point that is also on another account.</strong
        >
        An operator must decide on the switch of each of them. If you approve the canary, expect about
        ${projected(claims)} such accounts in this job. Ask the supplier before you approve.
      </p>`
    }
    ${table('Figures of the canary', rows, [
      ['Outcome', ([name, , address]) => link(address, name), 'row'],
      ['Canary', ([, of]) => count(of), 'number'],
      [`Estimate for all ${count(accepted)} records`, ([, of]) => `about ${projected(of)}`, 'number'],
    ])}
    ${
      job.kind === 'accounts' &&
      created.records.length > 0 &&
      html`<p>
        Look at some of them:
        ${created.records.map(({ key }) => key !== null && html`${link(accountPath(job.import_supplier, key), code(key))} `)}
      </p>`
    }
    <p class="fine">To take back what the canary created, cancel the job and then withdraw its accounts.</p>`;
}
