import {
  cancelBatch,
  findBatchCounts,
  findBatchPage,
  listDeferred,
  listErrored,
  previewThrottle,
  retryBatch,
  type BatchCounts,
  type BatchView,
  type ThrottlePreview,
} from '../../supply-points/index.ts';
import {
  batchStatuses,
  estimatedEnd,
  ratePerSecond,
  unknownBatch,
} from '../../supply-points/populate/population-batch.rules.ts';
import {
  networkOperators,
  networkOperatorTitles,
  type NetworkOperatorName,
} from '../../vocabulary/network-operators.ts';
import { isUuid } from '../../vocabulary/wire-forms.ts';
import { badge, code, count, fromNow, link, linkAway, moment } from '../frame/cells.ts';
import { livePart, nextPage, pairs, table, type Column } from '../frame/parts.ts';
import { orderOf } from '../frame/form-checks.ts';
import { filterForm, reasonForm, supplierField } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { accepted, done, handler, page, polledPart, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { addressOf, batchPath, deferredPath, pointPath, SUPPLY_POINTS, throttlePath } from '../frame/paths.ts';
import { workflowIds } from '../../../temporal.config.ts';
import { identifiersIn } from './steering.ts';

const NOW = `${SUPPLY_POINTS}/now`;
const BATCH = `${SUPPLY_POINTS}/batches/:batch`;

/** The speed of lookups by network operator, batches with their progress, and single batches with the forms that steer them. */
export const batchPages = [
  page(SUPPLY_POINTS, async (request) => {
    const now = await nowPart(request);
    return { title: 'Supply points', body: html`${findForm()} ${filters(request.query)} ${now}` };
  }),
  polledPart(NOW, nowPart),
  page(BATCH, showBatch),
  polledPart(`${BATCH}/now`, async (request) => progressPart(await findBatch(request), request)),
  handler(`${BATCH}/cancel`, 'population-batch.steer', async (request) => {
    const reply = await cancelBatch(request, orderOf(request));
    return done(batchPath(idOf(request)), `${identifiersIn(reply, 'cancelled')} canceled.`);
  }),
  handler(`${BATCH}/retry`, 'population-batch.steer', async (request) => {
    const reply = await retryBatch(request, orderOf(request));
    return done(batchPath(idOf(request)), `${identifiersIn(reply, 'retried')} will be requested again.`);
  }),
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
function progress(done: number, all: number): Html {
  const label = `${count(done)} of ${count(all)}`;
  return html`<progress value="${done}" max="${Math.max(all, 1)}" aria-label="${label}"></progress>
    <small>${label}</small>`;
}

/** The status of a batch as a colored badge. */
function statusBadge(status: BatchView['status']): Html {
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
  return filterForm({
    action: `${SUPPLY_POINTS}/points`,
    fields: [
      { label: 'PRM or PCE', name: 'identifier', maxlength: 64, required: true },
      { label: 'Network operator', name: 'operator', options },
    ],
    button: 'Show supply point',
    search: 'Supply point',
  });
}

const LISTED = 100;

const idOf = ({ params }: PageRequest) => params['batch'] ?? '';

async function findBatch(request: PageRequest): Promise<BatchCounts> {
  const id = idOf(request);
  const batch = isUuid(id) ? await findBatchCounts(request.database, id) : undefined;
  return accepted(batch ?? unknownBatch());
}

async function showBatch(request: PageRequest): Promise<PageAnswer> {
  const batch = await findBatch(request);
  const lists: Html[] = [];
  for (const of of batch.operatorProgress) {
    if (of.errored > 0) lists.push(await erroredPart(request, batch, of));
    if (of.pending > 0) lists.push(await deferredPart(request, batch, of));
  }
  const body = html`${headPart(batch, request)} ${progressPart(batch, request)}
  ${request.may('population-batch.steer') && actionsPart(batch, request)} ${lists}`;
  return { title: `Batch ${batch.batchId}`, body };
}

function headPart(batch: BatchCounts, { runAddress }: PageRequest): Html {
  const run = runAddress(workflowIds.populateSupplyPoints(batch.batchId));
  const authorization = `${batch.customerAuthorisation ? 'with' : 'without'} customer authorization`;
  return pairs([
    ['Import suppliers', batch.importSuppliers.join(', ')],
    ['Customers', `${batch.customerCategory}, ${authorization}`],
    ['Sent', moment(batch.createdAt)],
    ['Ended', moment(batch.endedAt)],
    ['Run', run !== undefined && linkAway(run, 'Open')],
  ]);
}

/** Refreshes while the batch is open. */
function progressPart({ batchId, status, operatorProgress }: BatchCounts, { now }: PageRequest): Html {
  const isOpen = status === 'IN_PROGRESS';
  const end = isOpen ? estimatedEnd(operatorProgress, now.getTime()) : undefined;
  const body = html`<p>
      ${statusBadge(status)}
      ${isOpen && html`${ratePerSecond(operatorProgress)} per second, estimated end: ${fromNow(end, now)}.`}
      <span class="fine">As of ${moment(now)}.</span>
    </p>
    ${table('Progress at each network operator', operatorProgress, [
      ['Network operator', (one) => networkOperatorTitles[one.networkOperator]],
      ['Progress', ({ accepted: all, pending }) => progress(all - pending, all)],
      ['Imported', ({ imported }) => count(imported), 'number'],
      ['Pending', ({ pending }) => count(pending), 'number'],
      ['Failed', ({ errored }) => count(errored), 'number'],
      ['Per second', (one) => (isOpen ? Math.round(one.ratePerSecond * 100) / 100 : ''), 'number'],
    ])}`;
  return livePart({ id: 'progress', from: isOpen ? `${batchPath(batchId)}/now` : undefined }, body);
}

function actionsPart({ batchId, status, operatorProgress }: BatchCounts, request: PageRequest): Html {
  const hasFailed = operatorProgress.some(({ errored }) => errored > 0);
  const isOpen = status === 'IN_PROGRESS';
  const at = batchPath(batchId);
  const retry = { action: `${at}/retry`, button: 'Request failed identifiers again', tone: 'quiet' } as const;
  const cancel = { action: `${at}/cancel`, button: 'Cancel pending identifiers', tone: 'danger' } as const;
  return html`<div class="pair">
    ${(hasFailed || isOpen) && reasonForm(request, retry)} ${isOpen && reasonForm(request, cancel)}
  </div>`;
}

type OperatorProgress = BatchCounts['operatorProgress'][number];

async function erroredPart(request: PageRequest, batch: BatchCounts, { networkOperator }: OperatorProgress) {
  const list = listOf(request, batch, `failed_${networkOperator}`);
  const found = await listErrored(
    request.database,
    { batchId: batch.batchId, networkOperator },
    LISTED + 1,
    list.after,
  );
  const label = `Failed at ${networkOperatorTitles[networkOperator]}`;
  return html`<h2>${label}</h2>
    ${
      found.length > 0 &&
      table(label, found.slice(0, LISTED), [identifierColumn(networkOperator), ['Reason', (one) => code(one.reason)]])
    }
    ${
      batch.status === 'CANCELLED' &&
      html`<p class="fine">
        Identifiers that were pending when the batch was canceled are counted as failed, but not listed.
      </p>`
    }
    ${list.next(found)}`;
}

async function deferredPart(request: PageRequest, batch: BatchCounts, { networkOperator }: OperatorProgress) {
  const list = listOf(request, batch, `deferred_${networkOperator}`);
  const found = await listDeferred(request.database, batch.batchId, networkOperator, LISTED + 1, list.after);
  if (found.length === 0) return html``;
  const label = `Deferred at ${networkOperatorTitles[networkOperator]}`;
  return html`<h2>${label}</h2>
    ${table(label, found.slice(0, LISTED), [
      identifierColumn(networkOperator),
      ['Attempts', ({ tries }) => tries, 'number'],
      ['Next attempt', ({ nextAttemptAt: at }) => fromNow(at, request.now)],
    ])}
    ${list.next(found)}`;
}

function identifierColumn(networkOperator: string): Column<{ identifier: string }> {
  return ['Identifier', ({ identifier }) => link(pointPath(networkOperator, identifier), code(identifier))];
}

/** A list of a batch with a cursor of this name in the address: its first row, and the link to its next page. */
function listOf({ query }: PageRequest, { batchId }: BatchCounts, name: string) {
  const after = query.get(name) ?? '';
  return {
    after: /^\d{1,18}$/.test(after) ? after : '0',
    next: (found: readonly { key: string }[]) =>
      found.length > LISTED && nextPage(addressOf(batchPath(batchId), { [name]: found[LISTED - 1]?.key })),
  };
}
