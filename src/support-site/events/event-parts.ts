import { EVENTS, FEED, accountPath, batchPath } from '../frame/paths.ts';
import type { EventPage } from '../../events/index.ts';
import { eventTypes, type EventType } from '../../vocabulary/events.ts';
import { badge, moment, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { tabs } from '../frame/list-parts.ts';

export function eventTabs(at: typeof EVENTS | typeof FEED): Html {
  return tabs(
    'Events',
    [
      [EVENTS, 'Endpoints'],
      [FEED, 'Events'],
    ],
    at,
  );
}

type Event = EventPage['events'][number];

/** The type without its prefix and version, such as `switch.completed`. */
function nameOf({ type }: Event): string {
  return type.replace(/^import\./, '').replace(/\.v\d+$/, '');
}

const TONES: Readonly<Partial<Record<EventType, 'good' | 'warn' | 'bad'>>> = {
  'import.account.created.v1': 'good',
  'import.account.refused.v1': 'bad',
  'import.account.quarantined.v1': 'warn',
  'import.business.created.v1': 'good',
  'switch.rejected.v1': 'bad',
  'switch.completed.v1': 'good',
  'payment_instruction.verified.v1': 'good',
  'payment_instruction.rejected.v1': 'bad',
  'payment_instruction.unreachable.v1': 'warn',
  'job.paused.v1': 'warn',
  'job.completed.v1': 'good',
  'batch.completed.v1': 'good',
};

function badgeOf(event: Event): Html {
  return badge(nameOf(event), TONES[event.type] ?? 'plain');
}

/** The code, pause, vendor and type of an event. */
function codesOf({ data }: Event): string {
  const { code, paused_because: pause, vendor, type } = data as Record<string, string | undefined>;
  return [code, pause, vendor, type].filter(Boolean).join(', ');
}

/** Events as a table, newest first. */
export function eventsTable(events: readonly Event[]): Html {
  const rows = events.map(
    (event) =>
      html`<tr>
        <td>${moment(event.time)}</td>
        <td>${badgeOf(event)}</td>
        <td>${aboutOf(event)}</td>
        <td class="advice">${eventTypes[event.type]} <small>${codesOf(event)}</small></td>
      </tr>`,
  );
  return table('Events, newest first', ['Time', 'Event', 'Subject', 'Detail'], rows);
}

function aboutOf({ subject, data }: Event): Html {
  const {
    import_supplier: supplier,
    external_account_number: external,
    job_id: job,
    batch_id: batch,
  } = data as Record<string, string | undefined>;
  const name = html`<code>${subject}</code>`;
  if (supplier !== undefined && external !== undefined) {
    return html`<a href="${accountPath(supplier, external)}">${name}</a>`;
  }
  if (job !== undefined) return html`<a href="/jobs/${encodeURIComponent(job)}">${name}</a>`;
  return batch === undefined ? name : html`<a href="${batchPath(batch)}">${name}</a>`;
}

/** Events of one account as a timeline, newest first. */
export function timeline(events: readonly Event[]): Html {
  return html`<ol class="timeline">
    ${events.map(
      (event) =>
        html`<li>
          ${moment(event.time)} ${badgeOf(event)} ${eventTypes[event.type]} <small>${codesOf(event)}</small>
        </li>`,
    )}
  </ol>`;
}
