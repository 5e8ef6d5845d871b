import type { Words } from '../../vocabulary/french-site.ts';
import { readWavesByEnd, type WaveView } from '../../waves/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import type { GateName, WaveStatus } from '../../vocabulary/waves.ts';
import { buttonLink, count, link, moment } from '../frame/cells.ts';
import { supplierFilter } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, weekday } from '../frame/language.ts';
import { IDS, listFilter, listPages, numbers, pageOf, type List } from '../frame/list.ts';
import { polledPart, type PageRequest } from '../frame/page.ts';
import { livePart, nothing } from '../frame/parts.ts';
import { addressOf, wavePath, WAVES } from '../frame/paths.ts';
import { NEW_WAVE, newWavePages } from './new-wave.page.ts';
import { planText, progressText, waveBadge, waveBar } from './wave-parts.ts';
import { dayAfter, parisDay, parisMidnight } from '../../platform/clock.ts';

/** Waves on the board. */
const OPEN_SHOWN = 200;

/** The waves that have not ended by gate, the nights that are planned, and the waves that have ended. */
export const waveListPages = [
  ...newWavePages,
  ...listPages({
    path: WAVES,
    title: () => t('Waves'),
    list: endedOf,
    isLive: true,
    body: async (request, list) =>
      html`${request.may('import-job.upload') && html`<p>${buttonLink(NEW_WAVE, t('New wave'))}</p>`}
        ${listFilter(request, WAVES, [await supplierFilter(request)])} ${await openPart(request)}
        <h2>${t('Ended waves')}</h2>
        ${list}`,
  }),
  polledPart(`${WAVES}/open`, openPart),
];

/** The waves that have not ended, which refresh. */
async function openPart(request: PageRequest): Promise<Html> {
  const { database, now, viewer } = request;
  const importSupplier = await supplierIn(request);
  const open = await readWavesByEnd(database, { hasEnded: false, importSupplier, limit: OPEN_SHOWN }, viewer);
  const body = html`${board(open)}
    ${open.length === OPEN_SHOWN && html`<p class="fine">${t('Only {count} waves are shown: those at work, then the newest.', { count: OPEN_SHOWN })}</p>`}
    ${nightCalendar(open, now)}
    <p class="fine">${t('As of {time}. Counts may be a minute old.', { time: moment(now) })}</p>`;
  return livePart(
    { id: 'open-waves', from: addressOf(`${WAVES}/open`, { import_supplier: request.query.get('import_supplier') }) },
    body,
  );
}

/** The import supplier of the query. An unknown code matches no wave. */
async function supplierIn({ query, suppliers }: PageRequest): Promise<string | undefined> {
  const wanted = query.get('import_supplier') || undefined;
  return wanted === undefined || (await supplierCodes(suppliers)).includes(wanted) ? wanted : '';
}

/** Columns of the board: what the waves in it have passed last. */
const COLUMNS: readonly Words[] = [
  'Preparing',
  'Valid',
  'Rehearsed',
  'Approved',
  'Created',
  'Attached, reconciled',
  'Switched',
];

/** The column of a wave by its first gate that is not passed. */
const COLUMN_OF_GATE: Readonly<Record<GateName, number>> = {
  complete: 0,
  valid: 0,
  rehearsed: 1,
  approved: 2,
  created: 3,
  attached: 4,
  reconciled: 5,
  switched: 5,
  signed_off: 6,
};

/** A wave that is being created does not move back if its creation finds a fault. */
const COLUMN_OF_STATUS: Readonly<Partial<Record<WaveStatus, number>>> = {
  SCHEDULED: 3,
  CREATING: 3,
  PAUSED: 3,
  CREATED: 4,
  WITHDRAWING: 4,
};

function columnOf({ gate, status }: WaveView): number {
  const byGate = gate === null ? COLUMNS.length - 1 : COLUMN_OF_GATE[gate];
  return Math.max(byGate, COLUMN_OF_STATUS[status] ?? 0);
}

function board(waves: readonly WaveView[]): Html {
  if (waves.length === 0) return nothing(t('No wave is in progress.'));
  const columns = Map.groupBy(waves, columnOf);
  return html`<div class="board">
    ${COLUMNS.map((name, column) => {
      const cards = columns.get(column) ?? [];
      return html`<section aria-labelledby="column-${column}">
        <h2 id="column-${column}">${t(name)} <small>${count(cards.length)}</small></h2>
        ${cardList(cards.slice(0, CARDS_SHOWN))}
        ${
          cards.length > CARDS_SHOWN &&
          html`<details>
            <summary>${t('{count} more', { count: cards.length - CARDS_SHOWN })}</summary>
            ${cardList(cards.slice(CARDS_SHOWN))}
          </details>`
        }
      </section>`;
    })}
  </div>`;
}

/** Cards of a column that are shown without a click. */
const CARDS_SHOWN = 8;

function cardList(waves: readonly WaveView[]): Part {
  return (
    waves.length > 0 &&
    html`<ul>
      ${waves.map(card)}
    </ul>`
  );
}

function card(wave: WaveView): Html {
  return html`<li class="card">
    <p>${link(wavePath(wave.wave_id), wave.name)}<br /><small>${wave.import_supplier}</small></p>
    <p>${waveBadge(wave)}</p>
    ${waveBar(wave)}
    <p>${progressText(wave)}</p>
    <p class="fine">${planText(wave.plan)}</p>
  </li>`;
}

/** Sorted by the time-ordered keys of waves. */
async function endedOf(request: PageRequest): Promise<List<WaveView>> {
  const { database, viewer } = request;
  const importSupplier = await supplierIn(request);
  return {
    name: 'waves',
    path: WAVES,
    label: t('Ended waves, newest first'),
    sorts: ['-created_at'],
    columns: {
      name: [t('Wave'), (wave) => link(wavePath(wave.wave_id), wave.name), 'row'],
      import_supplier: [t('Import supplier')],
      status: [t('Status'), waveBadge],
      accounts: numbers(t('Accounts'), ({ counts }) => counts.accounts),
      created: numbers(t('Created'), ({ counts }) => counts.created),
      plan: [t('Planned'), ({ plan }) => planText(plan)],
      created_at: [t('Opened'), ({ created_at: at }) => moment(at)],
      ended_at: [t('Ended'), ({ ended_at: at }) => moment(at)],
    },
    cursors: IDS,
    read: async ({ cursor: before, limit }) => {
      const wanted = { hasEnded: true, importSupplier, before, limit: limit + 1 };
      return pageOf(await readWavesByEnd(database, wanted, viewer), limit, (wave) => wave.wave_id);
    },
    empty: t('No wave has ended.'),
  };
}

const WEEKS = 6;
const DAY_MS = 86_400_000;
const HALF_DAY_MS = DAY_MS / 2;
const DAYS_OF_WEEK: readonly Words[] = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Dates in France (`YYYY-MM-DD`) of the nights in which a wave is planned to be created. Hours before noon belong to the night before. */
export function plannedNights({ create_from: from, create_until: until }: WaveView['plan']): string[] {
  const end = until === null ? undefined : Date.parse(until) - HALF_DAY_MS;
  const begin = from === null ? end : Date.parse(from);
  if (begin === undefined) return [];
  const last = parisDay(new Date(Math.max(begin, end ?? begin)));
  const nights: string[] = [];
  for (let day = parisDay(new Date(begin)); day <= last && nights.length <= WEEKS * 7; day = dayAfter(day)) {
    nights.push(day);
  }
  return nights;
}

/** The planned nights of this week and the next five, as a calendar. */
function nightCalendar(waves: readonly WaveView[], now: Date): Html {
  const byNight = new Map<string, WaveView[]>();
  for (const wave of waves) {
    for (const night of plannedNights(wave.plan)) byNight.set(night, [...(byNight.get(night) ?? []), wave]);
  }
  const today = parisDay(now);
  const days = daysFrom(today);
  const planned = days.filter((day) => byNight.has(day)).length;
  return html`<h2 id="calendar">${t('Planned nights')}</h2>
    <p class="fine">
      ${planned === 0 ? t('No creation is planned in these six weeks.') : t('{count} of these {nights} nights have planned creations.', { count: planned, nights: days.length })}
    </p>
    <div class="calendar-days" aria-hidden="true">${DAYS_OF_WEEK.map((name) => html`<span>${t(name)}</span>`)}</div>
    <ol class="calendar">
      ${days.map((day) => dayPart(day, byNight.get(day) ?? [], today))}
    </ol>`;
}

/** The days of whole weeks from Monday of this week. */
function daysFrom(today: string): string[] {
  const dayOfWeek = (new Date(`${today}T00:00Z`).getUTCDay() + 6) % 7;
  return Array.from({ length: WEEKS * 7 }, (_, index) =>
    new Date(Date.parse(`${today}T00:00Z`) + (index - dayOfWeek) * DAY_MS).toISOString().slice(0, 10),
  );
}

function dayPart(day: string, waves: readonly WaveView[], today: string): Html {
  const name = weekday(parisMidnight(day)).split(',', 1)[0];
  const look = [day === today && 'today', waves.length === 0 && 'empty', day < today && 'past']
    .filter(Boolean)
    .join(' ');
  return html`<li class="${look}">
    <time datetime="${day}">${name}</time>
    ${
      waves.length > 0 &&
      html`<ul>
        ${waves.map((wave) => html`<li>${link(wavePath(wave.wave_id), wave.name)} <small>${hoursOf(wave, day)} · ${count(wave.counts.accounts)}</small></li>`)}
      </ul>`
    }
  </li>`;
}

/** The planned hours that begin or end in a night. */
function hoursOf({ plan: { create_from: from, create_until: until } }: WaveView, night: string): string {
  const hour = (at: string) => weekday(new Date(at)).slice(-5);
  const begins = from !== null && parisDay(new Date(from)) === night;
  const ends = until !== null && parisDay(new Date(Date.parse(until) - HALF_DAY_MS)) <= night;
  if (begins && ends) return `${hour(from)}–${hour(until)}`;
  if (begins) return t('from {time}', { time: hour(from) });
  return ends && until !== null ? t('until {time}', { time: hour(until) }) : t('continues');
}
