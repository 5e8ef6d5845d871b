import type { Words } from '../../vocabulary/french-site.ts';
import { readWavesByEnd, type WaveView } from '../../waves/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import type { GateName, WaveStatus } from '../../vocabulary/waves.ts';
import { count, link, moment } from '../frame/cells.ts';
import { supplierFilter } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import { IDS, listFilter, listPages, numbers, pageOf, type List } from '../frame/list.ts';
import { polledPart, type PageRequest } from '../frame/page.ts';
import { livePart, nothing } from '../frame/parts.ts';
import { addressOf, wavePath, WAVES } from '../frame/paths.ts';
import { nightCalendar } from './night-calendar.ts';
import { planText, progressText, waveBadge, waveBar } from './wave-parts.ts';

/** Waves on the board. */
const OPEN_SHOWN = 200;

/** The waves that have not ended by gate, the nights that are planned, and the waves that have ended. */
export const waveListPages = [
  ...listPages({
    path: WAVES,
    title: () => t('Waves'),
    list: endedOf,
    isLive: true,
    body: async (request, list) =>
      html`${listFilter(request, WAVES, [await supplierFilter(request)])} ${await openPart(request)}
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
