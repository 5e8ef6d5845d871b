import { readRetention, type RetentionView } from '../../personal-data/index.ts';
import type { RetentionClass } from '../../vocabulary/retention-classes.ts';
import { tableOf } from '../../foundation/table.ts';
import { badge, code, count, fromNow, moment, table, type Column } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';

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
export async function retentionPart(request: PageRequest): Promise<Html> {
  const { now, settings } = request;
  const { classes, last_run: last, ...night } = await readRetention(request);
  const beside = BESIDE.map(([name, setting]) => ({ name, setting, kept_days: settings[setting] }));
  const ofClasses = classes.map((one) => ({ ...one, name: NAMES[one.class] }));
  return html`<h2>Retention</h2>
    <p>
      Due data is deleted every night from ${night.from_hour}:00 to ${night.until_hour}:00 in France.
      ${
        last === null
          ? 'There was no run yet.'
          : html`The last run ended ${fromNow(last.ended_at, now)}: ${STATES.get(last.state) ?? last.state}.`
      }
    </p>
    ${table('Retention', ofClasses, [
      ...KEPT,
      ['Deleted by the last run', (one) => count(one.deleted_by_run), 'number'],
      ['Deleted in total', (one) => count(one.deleted), 'number'],
      ['Last completed', (one) => stateOf(one, now)],
    ])}
    <h3>Deleted hourly</h3>
    ${table('Deleted hourly', beside, KEPT)}
    <p class="fine">
      The periods come from the settings of the support site. Workers delete by their own settings, which should be
      equal.
    </p>`;
}

const KEPT: readonly Column<{ name: string; setting: string; kept_days: number }>[] = [
  ['Data', ({ name, setting }) => html`${name}<br /><small>${code(setting)}</small>`],
  ['Kept for', ({ kept_days: days }) => `${count(days)} days`, 'number'],
];

function stateOf(one: RetentionView['classes'][number], now: Date): Html {
  const isDone = one.completed_at >= one.began_at;
  const isLate = now.getTime() - new Date(one.completed_at).getTime() > LATE_MS;
  return html`${moment(one.completed_at)} ${isLate && badge('late', 'bad')} ${!isDone && badge('incomplete', 'warn')}`;
}
