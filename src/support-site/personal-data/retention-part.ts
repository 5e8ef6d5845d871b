import type { RetentionView } from '../../personal-data/index.ts';
import type { RetentionClass } from '../../vocabulary/retention-classes.ts';
import { tableOf } from '../../foundation/table.ts';
import { badge, count, fromNow, moment, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { SiteDeps } from '../frame/page.ts';

const NAMES: Readonly<Record<RetentionClass, string>> = {
  created_payload: 'Staged payload of a created account, after the creation',
  never_created: 'Staged account that was never created, after its last change',
  audit: 'Entries of the audit',
  idempotency_key: 'Responses stored for an Idempotency-Key',
};
const STATES = tableOf({
  COMPLETED: 'all due data was deleted',
  NIGHT_OVER: 'it ran out of time and continues the next night',
  CANCELLED: 'it was canceled',
});
/** Classes that other runs delete. */
const BESIDE = [
  ['Uploads of an import job, after its end', 'JOB_PARTS_KEPT_DAYS'],
  ['Results of an import job, after its end', 'JOB_RESULTS_KEPT_DAYS'],
  ['Events', 'EVENTS_KEPT_DAYS'],
] as const;
/** A class that was not completed for this time is late. */
const LATE_MS = 2 * 86_400_000;

/** Retention periods, and the deletions of the last run. */
export function retentionPart(
  { classes, last_run: last, ...night }: RetentionView,
  { settings, clock }: SiteDeps,
): Html {
  const now = clock.now();
  const rows = classes.map(
    (one) =>
      html`<tr>
        <td>
          ${NAMES[one.class]}<br /><small><code>${one.setting}</code></small>
        </td>
        <td class="number">${count(one.kept_days)} days</td>
        <td class="number">${count(one.deleted_by_run)}</td>
        <td class="number">${count(one.deleted)}</td>
        <td>${stateOf(one, now)}</td>
      </tr>`,
  );
  const beside = BESIDE.map(
    ([name, setting]) =>
      html`<tr>
        <td>
          ${name}<br /><small><code>${setting}</code></small>
        </td>
        <td class="number">${count(settings[setting])} days</td>
      </tr>`,
  );
  return html`<h2>Retention</h2>
    <p>
      Due data is deleted every night from ${night.from_hour}:00 to ${night.until_hour}:00 in France.
      ${
        last === null
          ? 'There was no run yet.'
          : html`The last run ended ${fromNow(last.ended_at, now)}: ${STATES.get(last.state) ?? last.state}.`
      }
    </p>
    ${table('Retention', ['Data', 'Kept for', 'Deleted by the last run', 'Deleted in total', 'Last completed'], rows)}
    <h3>Deleted hourly</h3>
    ${table('Deleted hourly', ['Data', 'Kept for'], beside)}
    <p class="fine">
      The periods come from the settings of the support site. Workers delete by their own settings, which should be
      equal.
    </p>`;
}

function stateOf(one: RetentionView['classes'][number], now: Date): Html {
  const isDone = one.completed_at >= one.began_at;
  const isLate = now.getTime() - new Date(one.completed_at).getTime() > LATE_MS;
  return html`${moment(one.completed_at)} ${isLate && badge('late', 'bad')} ${!isDone && badge('incomplete', 'warn')}`;
}
