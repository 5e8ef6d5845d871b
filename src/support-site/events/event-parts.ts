import type { EventPage } from '../../events/index.ts';
import { eventTypes, type EventType } from '../../vocabulary/events.ts';
import { badge, code, link, moment } from '../frame/cells.ts';
import { table } from '../frame/parts.ts';
import { html, type Html } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { accountPath, batchPath, jobPath } from '../frame/paths.ts';

type Event = EventPage['events'][number];

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

/** The type without its prefix and version, such as `switch.completed`. */
function badgeOf({ type }: Event): Html {
  return badge(type.replace(/^import\./, '').replace(/\.v\d+$/, ''), TONES[type] ?? 'plain');
}

/** The sentence of an event, with its code, pause, vendor and type. */
export function eventDetail(event: Event): Html {
  const { code: ofFault, paused_because: pause, vendor, type } = event.data as Record<string, string | undefined>;
  const codes = [ofFault, pause, vendor, type].filter(Boolean).join(', ');
  return html`${translated(eventTypes[event.type])} <small>${codes}</small>`;
}

/** Events as a table, newest first. */
export function eventsTable(events: readonly Event[], empty: string): Html {
  return table(
    t('Events, newest first'),
    events,
    [
      [t('Time'), ({ time }) => moment(time)],
      [t('Event'), badgeOf],
      [t('Subject'), aboutOf],
      [t('Detail'), eventDetail, 'advice'],
    ],
    empty,
  );
}

function aboutOf({ subject, data }: Event): Html {
  const {
    import_supplier: supplier,
    external_account_number: external,
    job_id: job,
    batch_id: batch,
  } = data as Record<string, string | undefined>;
  const name = code(subject);
  if (supplier !== undefined && external !== undefined) return link(accountPath(supplier, external), name);
  if (job !== undefined) return link(jobPath(job), name);
  return batch === undefined ? name : link(batchPath(batch), name);
}
