import type { RetentionView } from '../../personal-data/expire/retention.openapi.ts';
import type { RetentionClass } from '../../vocabulary/retention-classes.ts';
import { tableOf } from '../../foundation/table.ts';
import { badge, count, fromNow, moment, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { SiteDeps } from '../frame/page.ts';

const NAMES: Readonly<Record<RetentionClass, string>> = {
  created_payload: 'Staged payload of a created account, after the creation',
  never_created: 'Staged account that was never created, after its last change',
  audit: 'Entries of the audit',
  idempotency_key: 'Answers kept by Idempotency-Key',
};
const STATES = tableOf({
  COMPLETED: 'nothing more was due',
  NIGHT_OVER: 'the night was over; the next one goes on',
  CANCELLED: 'it was cancelled for the night',
});
/** Kept and deleted by others than the run of the night. */
const BESIDE = [
  ['What was uploaded for an import job, after its end', 'JOB_PARTS_KEPT_DAYS'],
  ['Results of an import job, after its end', 'JOB_RESULTS_KEPT_DAYS'],
  ['Events', 'EVENTS_KEPT_DAYS'],
] as const;
/** A class that has not been completed for so long is late. */
const LATE_MS = 2 * 86_400_000;

/** How long personal data is kept, and what the last night has deleted. */
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
  return html`<h2>Kept for a time</h2>
    <p>
      Deleted each night from ${night.from_hour}:00 to ${night.until_hour}:00 in France.
      ${
        last === null
          ? 'No night has ended yet.'
          : html`The last night ended ${fromNow(last.ended_at, now)}: ${STATES.get(last.state) ?? last.state}.`
      }
    </p>
    ${table('Kept for a time', ['What', 'Kept', 'Deleted by the last night', 'Deleted in all', 'Nothing more was due'], rows)}
    <h3>Deleted by the hour, when it is due</h3>
    ${table('Deleted by the hour', ['What', 'Kept'], beside)}
    <p class="fine">Settings as the support site has them; the workers delete by theirs, which should be the same.</p>`;
}

function stateOf(one: RetentionView['classes'][number], now: Date): Html {
  const isDone = one.completed_at >= one.began_at;
  const isLate = now.getTime() - new Date(one.completed_at).getTime() > LATE_MS;
  return html`${moment(one.completed_at)} ${isLate && badge('late', 'bad')} ${!isDone && badge('goes on', 'warn')}`;
}
