import type { AuditEntryView } from '../../access/index.ts';
import type { JobView } from '../../import-jobs/index.ts';
import type { PauseReason } from '../../vocabulary/import-jobs.ts';
import { tableOf } from '../../foundation/table.ts';
import { badge, bar, count, figure, fromNow, linkAway, moment, nothing, pairs, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { auditTable } from '../frame/list-parts.ts';
import type { PageRequest, SiteDeps } from '../frame/page.ts';

/** What each pause means, and what ends it. */
const PAUSES = tableOf({
  asked: 'Somebody paused it; it goes on when it is resumed.',
  canary: 'The canary is done. Look at the causes and at what was created; approve it, and the other lines follow.',
  too_many_failures: 'It has reached its limit of failures. Resume it to accept those that there are.',
  key_revoked: 'The key that started it was revoked. Resume it, or cancel it.',
  outside_window: 'It may not run at this hour; it goes on by itself.',
  supplier_paused: 'Its import supplier is not Ongoing; it goes on by itself once it is.',
  staged_accounts_max: 'Its import supplier has staged as many accounts as it may; it goes on when some were created.',
} satisfies Record<PauseReason, string>);

/** Tells whether nothing more happens with a job. */
export function isOver({ status }: Pick<JobView, 'status'>): boolean {
  return status === 'COMPLETED' || status === 'CANCELLED' || status === 'EXPIRED';
}

/** The status of a job, and what it is paused for. */
export function statusBadge({ status, paused_because: because }: JobView): Html {
  if (status === 'PAUSED') return badge(`PAUSED: ${(because ?? '').replaceAll('_', ' ')}`, 'warn');
  return badge(status, status === 'COMPLETED' ? 'good' : 'plain');
}

/** How far a job is: what succeeded, what failed, and what was judged and waits for its creation. */
export function jobBar({ counts, steps, goal }: JobView): Html {
  const { accepted, succeeded, failed, unprocessed } = counts;
  const judged = goal === 'CREATE' ? Math.max(0, steps.judged - succeeded - failed) : 0;
  const label = `${count(succeeded)} succeeded, ${count(failed)} failed, ${count(unprocessed)} unprocessed of ${count(accepted)}`;
  return bar(label, accepted, [
    { value: succeeded, tone: 'good' },
    { value: failed, tone: 'bad' },
    { value: judged, tone: 'plain' },
  ]);
}

/** Status, bar and counts of a job. */
export function standingPart(job: JobView, now: Date): Html {
  const { counts, paused_because: because } = job;
  const pause = because === null ? undefined : PAUSES.get(because);
  return html`<p class="row">
      ${statusBadge(job)} <span>${job.import_supplier}</span> <span>${job.kind}, goal ${job.goal}</span>
    </p>
    ${pause !== undefined && html`<p class="flash flash-wait">${pause}</p>`}
    ${
      job.status === 'OPEN' &&
      html`<p>It takes parts until the supplier starts it, and expires seven days after it was opened.</p>`
    }
    ${jobBar(job)}
    <div class="cards figures">
      ${figure('succeeded', count(counts.succeeded))} ${figure('failed', count(counts.failed))}
      ${figure('unprocessed', count(counts.unprocessed))} ${figure('accepted', count(counts.accepted))}
      ${figure('with a warning', count(job.warnings))}
      ${job.lines_per_second > 0 && figure('lines a second', count(Math.round(job.lines_per_second)))}
      ${job.estimated_end_at !== null && figure('until the end, at this rate', fromNow(job.estimated_end_at, now))}
    </div>
    ${stepsPart(job)}
    <p class="fine">Read ${moment(now)}.</p>`;
}

/** The steps of the goal; a goal of one step is told by its counts. */
function stepsPart({ goal, steps, counts: { accepted } }: JobView): Html {
  if (goal !== 'CREATE') return html``;
  const all = [
    ['Judged', steps.judged],
    ['Staged', steps.staged],
    ['Created', steps.created],
  ] as const;
  const rows = all.map(
    ([name, done]) =>
      html`<tr>
        <td>${name}</td>
        <td class="number">${count(done)}</td>
        <td>${bar(`${name}: ${count(done)} of ${count(accepted)}`, accepted, [{ value: done, tone: 'good' }])}</td>
      </tr>`,
  );
  return table('Steps', ['Step', 'Records', 'Done'], rows);
}

/** What a job was asked to do, when, and where its run is. */
export function aboutPart(job: JobView, deps: Pick<SiteDeps, 'runAddress'>): Html {
  const run = deps.runAddress(job.workflow_id);
  const { canary, stop_after_failures: stop, window, max_per_second: speed } = job.options;
  return html`<section>
    <h2>About</h2>
    ${pairs([
      ['Job', html`<code>${job.job_id}</code>`],
      ['Run', linkAway(run, `In Temporal's web UI`, html`<code>${job.workflow_id}</code>`)],
      ['Name', job.name ?? undefined],
      ['Operations team', job.operations_team_name ?? undefined],
      ['Records', job.selection === 'staged' ? 'all that is staged' : 'as uploaded'],
      ['Canary', canary === undefined ? undefined : `${count(Number(canary))} lines`],
      ['Stops after failures', stop && stopOf(stop)],
      ['Runs only', window && `${window.from} to ${window.to} in Paris`],
      ['Lines a second at most', speed === undefined ? undefined : count(Number(speed))],
      ['Opened', moment(job.created_at)],
      ['Started', moment(job.started_at)],
      ['Ended', moment(job.ended_at)],
    ])}
    ${
      job.goal === 'CREATE' &&
      job.kind === 'accounts' &&
      job.started_at !== null &&
      html`<p><a href="/certificates?job_id=${job.job_id}">Compare what it has created with what was accepted</a></p>`
    }
  </section>`;
}

function stopOf({ count: most, percent }: NonNullable<JobView['options']['stop_after_failures']>): string {
  const limits = [
    ...(most === undefined ? [] : [count(Number(most))]),
    ...(percent === undefined ? [] : [`${String(percent)} %`]),
  ];
  return limits.join(' or ');
}

/** The results as files, for whom they may be shown to. */
export function resultsPart({ job_id: id, counts }: JobView, request: PageRequest): Html {
  const files = [
    ['Failed, to mend and send again', `${id}/results/failed?form=resend`, counts.failed],
    ['Failed', `${id}/results/failed`, counts.failed],
    ['Succeeded, with their numbers', `${id}/results/succeeded`, counts.succeeded],
    ['Unprocessed', `${id}/results/unprocessed`, counts.unprocessed],
  ] as const;
  return html`<section>
    <h2>Results</h2>
    ${
      request.may('import-job.results')
        ? html`<p class="row">
              ${files.map(([name, path]) => html`<a class="button quiet" href="/jobs/${path}" download>${name}</a>`)}
            </p>
            <p class="fine">
              NDJSON. They hold personal data: the audit names who took them. They are deleted some days after the end.
            </p>`
        : html`<p class="fine">Results hold personal data; an operator can download them.</p>`
    }
  </section>`;
}

/** Who did what with the job. */
export function jobAuditPart(entries: readonly AuditEntryView[]): Html {
  return html`<section>
    <h2>Audit</h2>
    ${entries.length === 0 ? nothing('Nobody did anything by hand.') : auditTable('Audit', entries)}
  </section>`;
}
