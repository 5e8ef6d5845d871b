import { findBatchPage, previewThrottle, type BatchView, type ThrottlePreview } from '../../supply-points/index.ts';
import { batchStatuses } from '../../supply-points/populate/population-batch.rules.ts';
import {
  networkOperators,
  networkOperatorTitles,
  type NetworkOperatorName,
} from '../../vocabulary/network-operators.ts';
import { badge, code, count, fromNow, link, livePart, moment, table } from '../frame/elements.ts';
import { filterForm, supplierField } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { nextPage } from '../frame/list-parts.ts';
import { accepted, page, polledPart, type PageRequest } from '../frame/page.ts';
import { addressOf, batchPath, deferredPath, SUPPLY_POINTS, throttlePath } from '../frame/paths.ts';

const NOW = `${SUPPLY_POINTS}/now`;

/** The speed of lookups by network operator, and batches with their progress. */
export const batchListPages = [
  page(
    SUPPLY_POINTS,
    async (request) => {
      const now = await nowPart(request);
      return { title: 'Supply points', body: html`${findForm()} ${filters(request.query)} ${now}` };
    },
    { menu: 'Supply points' },
  ),
  polledPart(NOW, nowPart),
];

/** The part that refreshes: speeds and batches. */
async function nowPart(request: PageRequest): Promise<Html> {
  const { query, now } = request;
  const { batches, next_cursor: next } = accepted(await findBatchPage(request.database, query));
  const cards: Html[] = [];
  for (const name of networkOperators) {
    cards.push(speedCard(name, accepted(await previewThrottle(request, name, new URLSearchParams())), now));
  }
  const narrowed = { status: query.get('status'), import_supplier: query.get('import_supplier') };
  const body = html`<div class="cards">${cards}</div>
    <h2>Batches</h2>
    ${batchesTable(batches, now)} ${nextPage(next && addressOf(SUPPLY_POINTS, { ...narrowed, cursor: next }))}
    <p class="fine">As of ${moment(now)}.</p>`;
  const from = addressOf(NOW, { ...narrowed, cursor: query.get('cursor') });
  return livePart({ id: 'now', label: 'Progress', from }, body);
}

function speedCard(name: NetworkOperatorName, preview: ThrottlePreview, now: Date): Html {
  const { now: speed, blocked_until: blocked } = preview;
  return html`<article class="card">
    <h2>${networkOperatorTitles[name]} ${speed.used_per_second === 0 && badge('lookups paused', 'warn')}</h2>
    <p><span class="figure">${speed.used_per_second}</span> calls per second</p>
    <p>${pendingWords(preview, now)}</p>
    ${blocked !== null && html`<p>${badge('rate limited', 'warn')} next call ${fromNow(blocked, now)}</p>`}
    <p>${link(throttlePath(name), 'Speed')} · ${link(deferredPath(name), 'Deferred identifiers')}</p>
  </article>`;
}

function pendingWords({ pending, now: { pending_ends_at: end } }: ThrottlePreview, now: Date): Html {
  const ending = end === null ? ', no estimated end' : html`, complete ${fromNow(end, now)} at the earliest`;
  return html`${count(pending)} pending${pending > 0 && ending}`;
}

function batchesTable(batches: readonly BatchView[], now: Date): Html {
  const total = ({ counts }: BatchView, part: keyof BatchView['counts']) => counts[part].prm_ids + counts[part].pce_ids;
  return table(
    'Batches, newest first',
    batches,
    [
      ['Batch', ({ batch_id: id }) => link(batchPath(id), code(id))],
      ['Status', ({ status }) => statusBadge(status)],
      ['Import suppliers', ({ import_suppliers: suppliers }) => suppliers.join(', ')],
      ['Progress', (one) => progress(total(one, 'accepted') - total(one, 'pending'), total(one, 'accepted'))],
      ['Failed', (one) => count(total(one, 'errored')), 'number'],
      ['Per second', (one) => (one.status === 'IN_PROGRESS' ? one.rate_per_second : ''), 'number'],
      ['Actual or estimated end', (one) => fromNow(one.ended_at ?? one.estimated_end, now)],
      ['Sent', ({ created_at: at }) => fromNow(at, now)],
    ],
    'No batch matches these filters.',
  );
}

/** A progress bar with its figures. */
export function progress(done: number, all: number): Html {
  const label = `${count(done)} of ${count(all)}`;
  return html`<progress value="${done}" max="${Math.max(all, 1)}" aria-label="${label}"></progress>
    <small>${label}</small>`;
}

/** The status of a batch as a colored badge. */
export function statusBadge(status: BatchView['status']): Html {
  const tones = { IN_PROGRESS: 'plain', COMPLETED: 'good', CANCELLED: 'warn' } as const;
  return badge(status, tones[status]);
}

function filters(query: URLSearchParams): Html {
  const options = [['', 'all batches'] as const, ...batchStatuses];
  const status = { label: 'Status of batches', name: 'status', value: query.get('status'), options };
  const fields = [status, supplierField(query)];
  return filterForm({ action: SUPPLY_POINTS, fields, button: 'Filter', tone: 'quiet', search: 'Batches' });
}

function findForm(): Html {
  const options = networkOperators.map((name) => [name, networkOperatorTitles[name]] as const);
  const label = 'PRM or PCE';
  return filterForm({
    action: `${SUPPLY_POINTS}/points`,
    fields: [
      { label, placeholder: label, name: 'identifier', maxlength: 64, required: true },
      { label: 'Network operator', name: 'operator', options },
    ],
    button: 'Show supply point',
    search: 'Supply point',
  });
}
