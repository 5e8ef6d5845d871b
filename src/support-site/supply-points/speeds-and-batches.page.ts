import {
  findBatchPage,
  previewThrottle,
  type BatchPage,
  type BatchView,
  type ThrottlePreview,
} from '../../supply-points/index.ts';
import { batchStatuses } from '../../supply-points/populate/population-batch.rules.ts';
import {
  networkOperators,
  networkOperatorTitles,
  type NetworkOperatorName,
} from '../../vocabulary/network-operators.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { addressOf, batchPath, deferredPath, SUPPLY_POINTS, throttlePath } from '../frame/paths.ts';
import { badge, count, fromNow, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { nextPage, optionsOf, supplierField } from '../frame/list-parts.ts';
import { polledPart, type Page, type PageRequest, type SiteDeps } from '../frame/page.ts';

const POLL = 'every 5s';
const NOW = `${SUPPLY_POINTS}/now`;

/** The speed of lookups by network operator, and batches with their progress. */
export function overviewPages(deps: SiteDeps): Page[] {
  return [
    {
      method: 'GET',
      path: SUPPLY_POINTS,
      action: 'look',
      menu: 'Supply points',
      show: async (request) => {
        const live = await livePart(deps, request);
        if (isRefused(live)) return live;
        return { title: 'Supply points', body: html`${findForm()} ${filters(request.query)} ${live}` };
      },
    },
    polledPart(NOW, (request) => livePart(deps, request)),
  ];
}

/** The part that refreshes: speeds and batches. */
async function livePart(deps: SiteDeps, { query }: PageRequest): Promise<Html | Refused> {
  const page = await findBatchPage(deps.database, query);
  if (isRefused(page)) return page;
  const now = deps.clock.now();
  const cards: Html[] = [];
  for (const name of networkOperators) {
    const preview = await previewThrottle(deps, name, new URLSearchParams());
    if (isRefused(preview)) return preview;
    cards.push(speedCard(name, preview, now));
  }
  const narrowed = { status: query.get('status'), import_supplier: query.get('import_supplier') };
  const polledAt = addressOf(NOW, { ...narrowed, cursor: query.get('cursor') });
  return html`<section id="now" hx-get="${polledAt}" hx-trigger="${POLL}" hx-swap="outerHTML" aria-label="Progress">
    <div class="cards">${cards}</div>
    <h2>Batches</h2>
    ${batchesPart(page, now)}
    ${page.next_cursor !== null && nextPage(addressOf(SUPPLY_POINTS, { ...narrowed, cursor: page.next_cursor }))}
    <p class="fine">As of ${moment(now)}.</p>
  </section>`;
}

function speedCard(name: NetworkOperatorName, preview: ThrottlePreview, now: Date): Html {
  const { now: speed, blocked_until: blocked } = preview;
  return html`<article class="card">
    <h2>${networkOperatorTitles[name]} ${speed.used_per_second === 0 && badge('lookups paused', 'warn')}</h2>
    <p><span class="figure">${speed.used_per_second}</span> calls per second</p>
    <p>${pendingWords(preview, now)}</p>
    ${blocked !== null && html`<p>${badge('rate limited', 'warn')} next call ${fromNow(blocked, now)}</p>`}
    <p><a href="${throttlePath(name)}">Speed</a> · <a href="${deferredPath(name)}">Deferred identifiers</a></p>
  </article>`;
}

function pendingWords({ pending, now: { pending_ends_at: end } }: ThrottlePreview, now: Date): Html {
  const words = `${count(pending)} pending`;
  if (pending === 0) return html`${words}`;
  return end === null
    ? html`${words}, no estimated end`
    : html`${words}, complete ${fromNow(end, now)} at the earliest`;
}

function batchesPart({ batches }: BatchPage, now: Date): Html {
  if (batches.length === 0) return nothing('No batch matches these filters.');
  const heads = [
    'Batch',
    'Status',
    'Import suppliers',
    'Progress',
    'Failed',
    'Per second',
    'Actual or estimated end',
    'Sent',
  ];
  return table(
    'Batches, newest first',
    heads,
    batches.map((one) => rowOf(one, now)),
  );
}

function rowOf(batch: BatchView, now: Date): Html {
  const total = (part: keyof BatchView['counts']) => batch.counts[part].prm_ids + batch.counts[part].pce_ids;
  return html`<tr>
    <td>
      <a href="${batchPath(batch.batch_id)}"><code>${batch.batch_id}</code></a>
    </td>
    <td>${statusBadge(batch.status)}</td>
    <td>${batch.import_suppliers.join(', ')}</td>
    <td>${progress(total('accepted') - total('pending'), total('accepted'))}</td>
    <td class="number">${count(total('errored'))}</td>
    <td class="number">${batch.status === 'IN_PROGRESS' ? batch.rate_per_second : ''}</td>
    <td>${batch.ended_at === null ? fromNow(batch.estimated_end, now) : fromNow(batch.ended_at, now)}</td>
    <td>${fromNow(batch.created_at, now)}</td>
  </tr>`;
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
  const chosen = query.get('status');
  return html`<form class="row" method="get" action="${SUPPLY_POINTS}" role="search" aria-label="Batches">
    <select name="status" aria-label="Status of batches">
      <option value="">all batches</option>
      ${optionsOf(batchStatuses, chosen)}
    </select>
    ${supplierField(query)}
    <button class="quiet">Filter</button>
  </form>`;
}

function findForm(): Html {
  return html`<form class="row" method="get" action="${SUPPLY_POINTS}/points" role="search" aria-label="Supply point">
    <input name="identifier" maxlength="64" required placeholder="PRM or PCE" aria-label="PRM or PCE" />
    <select name="operator" aria-label="Network operator">
      ${networkOperators.map((name) => html`<option value="${name}">${networkOperatorTitles[name]}</option>`)}
    </select>
    <button>Show supply point</button>
  </form>`;
}
