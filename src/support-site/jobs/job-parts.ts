import type { FoundJob, JobView, JobWait } from '../../import-jobs/index.ts';
import type { Words } from '../../vocabulary/french-site.ts';
import type { ImportJobSelection, PauseReason } from '../../vocabulary/import-jobs.ts';
import { badge, bar, code, count, figure, fromNow, link, linkAway, moment, recordsText } from '../frame/cells.ts';
import { pairs, table } from '../frame/parts.ts';
import { html, type Html } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import type { PageRequest } from '../frame/page.ts';
import { addressOf, CERTIFICATES, jobPath, wavePath } from '../frame/paths.ts';
import { recordsPath } from './job-records.page.ts';
import type { ManifestView } from '../../import-jobs/manifest/manifest-state.rules.ts';

/** The meaning of pauses that end automatically; a person decides on the others. */
const PAUSES: Readonly<Partial<Record<PauseReason, Words>>> = {
  outside_window: 'The job is outside its time window. It resumes automatically.',
  supplier_paused: 'The status of the import supplier is not Ongoing. The job resumes automatically when it is.',
  staged_accounts_max:
    'The import supplier reached its limit of staged accounts. The job resumes automatically when some are created.',
};

/** Whether a job has ended. */
export function isOver({ status }: Pick<JobView, 'status'>): boolean {
  return status === 'COMPLETED' || status === 'CANCELLED' || status === 'EXPIRED';
}

/** The name of a pause. */
export function pauseName(because: PauseReason): string {
  if (because === 'asked') return t('manually');
  return because === 'staged_accounts_max' ? t('limit of staged accounts') : translated(because.replaceAll('_', ' '));
}

/** The status of a job, with the reason of a pause. */
export function statusBadge({ status, paused_because: because }: JobView): Html {
  if (because !== null) return badge(t('PAUSED: {reason}', { reason: pauseName(because) }), 'warn');
  return badge(translated(status), status === 'COMPLETED' ? 'good' : 'plain');
}

/** What a job imports, and how far: `accounts, CREATE`. */
export function jobWords({ kind, goal }: Pick<JobView, 'kind' | 'goal'>): string {
  return `${translated(kind)}, ${translated(goal)}`;
}

/** A job by its name, with what it does. */
export function jobLink(job: Pick<JobView, 'name' | 'kind' | 'goal'> & { id: string }): Html {
  const to = (words: string) => link(jobPath(job.id), words);
  return job.name === null ? to(jobWords(job)) : html`${to(job.name)} <small>${jobWords(job)}</small>`;
}

/** What a job waits for, in a sentence. */
export function waitSentence({ party, since, nextTryAt, failure }: JobWait): Html {
  const values = { time: moment(since), party: html`<strong>${party}</strong>` };
  const ofParty = t(since === undefined ? 'Waiting for {party}.' : 'Waiting for {party} since {time}.', values);
  const ofPage = t(
    since === undefined ? 'Waiting to retry records.' : 'Waiting to retry records since {time}.',
    values,
  );
  return html`${party === undefined ? ofPage : ofParty}
  ${nextTryAt !== undefined && t('Next attempt: {time}.', { time: moment(nextTryAt) })} ${failure}`;
}

/** The progress of a job: succeeded, failed, and validated lines that are not created yet. */
export function jobBar({ counts, steps, goal }: JobView): Html {
  const { accepted, succeeded, failed, unprocessed } = counts;
  const validated = goal === 'CREATE' ? Math.max(0, steps.judged - succeeded - failed) : 0;
  const values = { succeeded, failed, unprocessed, all: accepted };
  return bar(t('{succeeded} succeeded, {failed} failed, {unprocessed} unprocessed of {all}', values), accepted, [
    { value: succeeded, tone: 'good' },
    { value: failed, tone: 'bad' },
    { value: validated, tone: 'plain' },
  ]);
}

/** Status, bar and counts of a job. @param wait undefined where it does not wait */
export function standingPart(
  { job, pausedAt }: FoundJob,
  wait: JobWait | undefined,
  { now, viewer }: PageRequest,
): Html {
  const { counts, paused_because: because } = job;
  const pause = because === null ? undefined : PAUSES[because];
  const records = (outcome: 'succeeded' | 'failed') => link(recordsPath(job.job_id, outcome), count(counts[outcome]));
  return html`<p class="row">
      ${statusBadge(job)} <span>${job.import_supplier}</span>
      <span>${t('{kind}, goal {goal}', { kind: translated(job.kind), goal: translated(job.goal) })}</span>
    </p>
    ${pause !== undefined && html`<p class="flash flash-wait">${t(pause)} ${t('Since {time}.', { time: moment(pausedAt, now) })}</p>`}
    ${wait !== undefined && html`<p class="flash flash-wait">${waitSentence(wait)}</p>`}
    ${
      job.status === 'OPEN' &&
      html`<p>
        ${viewer === undefined && t('The supplier can upload parts until it starts the job.')}
        ${t('The job expires seven days after it was opened.')}
      </p>`
    }
    ${jobBar(job)}
    <div class="cards figures">
      ${figure(t('succeeded'), records('succeeded'))} ${figure(t('failed'), records('failed'))}
      ${figure(t('unprocessed'), count(counts.unprocessed))} ${figure(t('in total'), count(counts.accepted))}
      ${figure(t('with warnings'), count(job.warnings))}
      ${job.lines_per_second > 0 && figure(t('records per second'), count(Math.round(job.lines_per_second)))}
      ${job.estimated_end_at !== null && figure(t('estimated end'), fromNow(job.estimated_end_at, now))}
    </div>
    ${stepsPart(job)}
    <p class="fine">${t('As of {time}.', { time: moment(now) })}</p>`;
}

/** The steps of the goal CREATE; the counts show those of other goals. */
function stepsPart({ goal, steps, counts: { accepted } }: JobView): Html {
  if (goal !== 'CREATE') return html``;
  const all = [
    ['Validated', steps.judged],
    ['Staged', steps.staged],
    ['Created', steps.created],
  ] as const;
  return table(t('Steps'), all, [
    [t('Step'), ([name]) => t(name)],
    [t('Records'), ([, done]) => count(done), 'number'],
    [
      t('Progress'),
      ([name, done]) => {
        const value = t('{done} of {all}', { done, all: accepted });
        return bar(t('{name}: {value}', { name: t(name), value }), accepted, [{ value: done, tone: 'good' }]);
      },
    ],
  ]);
}

const SELECTIONS: Record<ImportJobSelection, Words> = {
  uploaded: 'as uploaded',
  staged: 'all staged accounts',
  wave: 'the accounts of the wave',
};

/** The options of a job, its times and its run. */
export function aboutPart(job: JobView, request: PageRequest): Html {
  const run = request.runAddress(job.workflow_id);
  const { canary, stop_after_failures: stop, window, max_per_second: speed } = job.options;
  return html`<h2>${t('Options and times')}</h2>
    ${pairs([
      [t('Job'), code(job.job_id)],
      [t('Run'), linkAway(run, t(`Open in Temporal's web UI`), code(job.workflow_id))],
      [t('Name'), job.name ?? undefined],
      [t('Operations team'), job.operations_team_name ?? undefined],
      [t('Wave'), job.wave_id === null ? undefined : link(wavePath(job.wave_id), t('Open the wave'))],
      [t('Records'), t(SELECTIONS[job.selection])],
      [t('Canary'), canary === undefined ? undefined : recordsText(Number(canary))],
      [t('Pauses after failures'), stopOf(stop)],
      [t('Time window'), window && t('{from} to {to} in France', window)],
      [t('Maximum records per second'), speed === undefined ? undefined : count(Number(speed))],
      [t('Opened'), moment(job.created_at)],
      [t('Started'), moment(job.started_at)],
      [t('Ended'), moment(job.ended_at)],
    ])}
    ${
      job.goal === 'CREATE' &&
      job.kind === 'accounts' &&
      job.started_at !== null &&
      request.may('reconciliation.start') &&
      html`<p>
        ${link(addressOf(CERTIFICATES, { job_id: job.job_id }), t('Compare the created accounts with the accepted data'))}
      </p>`
    }`;
}

/** The failures after which a creation pauses. */
export function stopOf(stop: JobView['options']['stop_after_failures']): string | undefined {
  if (stop === undefined) return undefined;
  const { count: most, percent } = stop;
  return [most && count(Number(most)), percent && `${String(percent)} %`].filter(Boolean).join(` ${t('or')} `);
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
    <h2>${t('Results')}</h2>
    ${
      request.may('import-job.results')
        ? html`<p class="row">
              ${files.map(([name, path]) => html`<a class="button quiet" href="${at}/${path}" download>${t(name)}</a>`)}
            </p>
            <p class="fine">
              ${t('The files are JSON lines (NDJSON) with personal data. Each download is audited. The files are deleted some days after the job has ended.')}
            </p>`
        : html`<p class="fine">${t('The results contain personal data. Only operators can download them.')}</p>`
    }
  </section>`;
}

const STATES: Readonly<Record<ManifestView['state'], readonly [Words, 'good' | 'plain' | 'warn']>> = {
  counting: ['counting', 'plain'],
  agrees: ['agrees', 'good'],
  differs: ['differs', 'warn'],
  accepted: ['differences accepted', 'good'],
};

/** The manifest of a job or a wave, with each total that differs; empty without one. */
export function manifestPart(manifest: ManifestView | null): Html {
  if (manifest === null) return html``;
  const { sha256, state, differences, accepted_at: at, accepted_reason: why } = manifest;
  const [words, tone] = STATES[state];
  return html`<section>
    <h2 id="manifest">${t('Manifest')}</h2>
    <p class="row">${badge(t(words), tone)} <span>SHA-256 ${code(sha256)}</span></p>
    ${at !== null && html`<p>${t('Differences were accepted {time}: {reason}', { time: moment(at), reason: why })}</p>`}
    ${
      differences.length > 0 &&
      table(t('Totals that differ'), differences, [
        [t('Total'), ({ path }) => code(path), 'row'],
        [t('Expected'), ({ expected }) => shortened(expected), 'number'],
        [t('Received'), ({ received }) => shortened(received), 'number'],
        [t('Difference'), ({ difference }) => difference ?? '–', 'number'],
      ])
    }
  </section>`;
}

const DIGEST_LENGTH = 64;
const SHOWN_LENGTH = 12;

/** A digest is recognized by its first digits. */
function shortened(value: string): string {
  return value.length === DIGEST_LENGTH ? `${value.slice(0, SHOWN_LENGTH)}…` : value;
}
