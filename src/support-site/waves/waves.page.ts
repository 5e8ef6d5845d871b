import type { Words } from '../../vocabulary/french-site.ts';
import { readWavesByEnd, type WaveView } from '../../waves/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import type { GateName, WaveStatus } from '../../vocabulary/waves.ts';
import { count, link, moment } from '../frame/cells.ts';
import { filterForm, supplierChoice } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import { page, polledPart, type PageRequest } from '../frame/page.ts';
import { livePart, nextPage, nothing, table } from '../frame/parts.ts';
import { addressOf, wavePath, WAVES } from '../frame/paths.ts';
import { nightCalendar } from './night-calendar.ts';
import { planText, progressText, waveBadge, waveBar } from './wave-parts.ts';

/** Waves on the board, and in the table of ended waves. */
const OPEN_SHOWN = 200;
const ENDED_SHOWN = 20;

/** The waves that have not ended by gate, the nights that are planned, and the waves that have ended. */
export const waveListPages = [
  page(WAVES, async (request) => ({
    title: t('Waves'),
    body: html`${await filters(request)} ${await listPart(request)}`,
  })),
  polledPart(`${WAVES}/list`, listPart),
];

async function filters({ query, suppliers }: PageRequest): Promise<Html> {
  const codes = await supplierCodes(suppliers);
  return filterForm({
    action: WAVES,
    fields: [supplierChoice(codes, query.get('import_supplier'), t('Import supplier: all'))],
    button: t('Show'),
  });
}

/** The list, which refreshes. */
async function listPart({ database, query, now, suppliers, viewer }: PageRequest): Promise<Html> {
  const wanted = query.get('import_supplier') || undefined;
  const before = query.get('before') ?? '';
  // An unknown code matches no wave.
  const importSupplier =
    wanted === undefined || (await supplierCodes(suppliers)).includes(wanted) ? wanted : NO_SUPPLIER;
  const open = await readWavesByEnd(database, { hasEnded: false, importSupplier, limit: OPEN_SHOWN }, viewer);
  const older = /^[0-9a-f-]{36}$/.test(before) ? before : undefined;
  const wantedEnded = { hasEnded: true, importSupplier, before: older, limit: ENDED_SHOWN };
  const ended = await readWavesByEnd(database, wantedEnded, viewer);
  const kept = { import_supplier: wanted };
  const next = ended.length === ENDED_SHOWN && addressOf(WAVES, { ...kept, before: ended.at(-1)!.wave_id });
  const body = html`${board(open)}
    ${open.length === OPEN_SHOWN && html`<p class="fine">${t('Only {count} waves are shown: those at work, then the newest.', { count: OPEN_SHOWN })}</p>`}
    ${nightCalendar(open, now)}
    <h2>${t('Ended waves')}</h2>
    ${endedTable(ended)} ${nextPage(next, t('Older waves'))}
    <p class="fine">${t('As of {time}. Counts may be a minute old.', { time: moment(now) })}</p>`;
  return livePart({ id: 'waves', from: addressOf(`${WAVES}/list`, { ...kept, before }) }, body);
}

const NO_SUPPLIER = '';

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

function endedTable(waves: readonly WaveView[]): Html {
  return table(
    t('Ended waves, newest first'),
    waves,
    [
      [t('Wave'), (wave) => link(wavePath(wave.wave_id), wave.name), 'row'],
      [t('Import supplier'), (wave) => wave.import_supplier],
      [t('Status'), waveBadge],
      [t('Accounts'), ({ counts }) => count(counts.accounts), 'number'],
      [t('Created'), ({ counts }) => count(counts.created), 'number'],
      [t('Planned'), ({ plan }) => planText(plan)],
      [t('Ended'), ({ ended_at: at }) => moment(at)],
    ],
    t('No wave has ended.'),
  );
}
