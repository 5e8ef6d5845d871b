import type { Overview } from '../../overview/overview.schema.ts';
import { badge, count, fromNow, link, moment } from '../frame/cells.ts';
import { html, type Html } from '../frame/html.ts';
import { pairs, table } from '../frame/parts.ts';
import { partyPath } from '../frame/paths.ts';
import { PARTY_STATES } from '../parties/party.page.ts';
import { partyTitle } from '../stuck/cause-words.rules.ts';

const TEMPORAL_STATES: Record<Overview['temporal']['state'], Html> = {
  ok: badge('available', 'good'),
  away: badge('unavailable', 'bad'),
  unknown: badge('not called yet'),
};

/** The health of the service and of outside parties in one line, which opens. */
export function healthPart(overview: Overview, now: Date): Html {
  const { temporal, parties, due_work: dueWork } = overview;
  const faulty = parties.filter(({ state }) => state === 'fails' || state === 'rests');
  const isLate = dueWork?.dispatcher.overdue || dueWork?.kinds.some((kind) => kind.late);
  const faults = [
    ...(temporal.state === 'away' ? [html`Temporal ${TEMPORAL_STATES.away}`] : []),
    ...(isLate ? [html`Scheduled work ${badge('late', 'bad')}`] : []),
    ...faulty.map(({ party, state }) => html`${partyTitle(party)} ${PARTY_STATES[state]}`),
  ];
  return html`<details class="health" id="health">
    <summary>
      <strong>Health</strong>
      ${faults.length === 0 ? badge('no fault', 'good') : faults.map((fault) => html`<span>${fault}</span> `)}
    </summary>
    ${servicePart(overview, now)} ${partiesPart(parties, now)}
  </details>`;
}

/** Database, Temporal, and the dispatcher of scheduled work. */
function servicePart({ database, temporal, due_work: dueWork }: Overview, now: Date): Html {
  const sweptAt = dueWork?.dispatcher.last_swept_at;
  const late = dueWork?.kinds.filter((kind) => kind.late) ?? [];
  const isLate = dueWork?.dispatcher.overdue || late.length > 0;
  const onTime = sweptAt === null ? badge('not checked yet', 'warn') : badge('on time', 'good');
  return pairs([
    [
      'Database',
      html`${badge('available', 'good')} <span class="fine">responded in ${database.answered_in_ms} ms</span>`,
    ],
    ['Temporal', TEMPORAL_STATES[temporal.state]],
    [
      'Scheduled work',
      html`${isLate ? badge('late', 'bad') : onTime}
        <span class="fine">
          last checked
          ${fromNow(sweptAt, now)}${late.map(({ kind, due }) => html`; <code>${kind}</code>: ${count(due)} due`)}
        </span>`,
    ],
  ]);
}

function partiesPart(parties: Overview['parties'], now: Date): Html {
  return html`${table('Outside parties', parties, [
      ['Party', ({ party }) => link(partyPath(party), partyTitle(party)), 'row'],
      [
        'State',
        ({ state, rests_until: until }) =>
          html`${PARTY_STATES[state]} ${until !== null && html`<small>until ${moment(until)}</small>`}`,
      ],
      ['Last response', ({ answered_at: at }) => fromNow(at, now)],
      [
        'Last failure',
        ({ failed_at: at, failure }) =>
          html`${fromNow(at, now)} ${failure !== null && html`<small>${failure}</small>`}`,
      ],
    ])}
    <p class="fine">
      Reported by the workers, at most 5 seconds old. After several failures in a row, calls to a party pause for some
      seconds.
    </p>`;
}
