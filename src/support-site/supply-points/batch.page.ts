import { workflowIds } from '../../../temporal.config.ts';
import {
  cancelBatch,
  findBatchCounts,
  listDeferred,
  listErrored,
  retryBatch,
  type BatchCounts,
} from '../../supply-points/index.ts';
import {
  estimatedEnd,
  isBatchId,
  ratePerSecond,
  unknownBatch,
} from '../../supply-points/populate/population-batch.rules.ts';
import { networkOperatorTitles, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { addressOf, batchPath, pointPath, SUPPLY_POINTS } from '../frame/paths.ts';
import { count, fromNow, linkAway, moment, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { nextPage } from '../frame/list-parts.ts';
import { polledPart, type Page, type PageAnswer, type PageRequest, type SiteDeps } from '../frame/page.ts';
import { progress, statusBadge } from './speeds-and-batches.page.ts';
import { identifiers, numberIn, orderOf, reasonForm, type SteeringDeps } from './steering.ts';

const PATH = `${SUPPLY_POINTS}/batches/:batch`;
const LISTED = 100;

/** One batch: progress by network operator, failures, and the forms that retry or cancel it. */
export function batchPages(deps: SteeringDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', show: (request) => showBatch(deps, request) },
    polledPart(`${PATH}/now`, async ({ params }) => {
      const batch = await findBatch(deps, params);
      return batch === undefined ? unknownBatch() : progressPart(batch, deps.clock.now());
    }),
    {
      method: 'POST',
      path: `${PATH}/cancel`,
      action: 'population-batch.steer',
      show: async (request) => {
        const done = await cancelBatch(deps, orderOf(request));
        return isRefused(done) ? done : doneWith(request, `${identifiers(numberIn(done, 'cancelled'))} canceled.`);
      },
    },
    {
      method: 'POST',
      path: `${PATH}/retry`,
      action: 'population-batch.steer',
      show: async (request) => {
        const done = await retryBatch(deps, orderOf(request));
        return isRefused(done)
          ? done
          : doneWith(request, `${identifiers(numberIn(done, 'retried'))} will be requested again.`);
      },
    },
  ];
}

function doneWith({ params }: PageRequest, text: string): PageAnswer {
  return { redirect: batchPath(params['batch'] ?? ''), flash: { kind: 'done', text } };
}

async function findBatch(
  { database }: SiteDeps,
  { batch = '' }: PageRequest['params'],
): Promise<BatchCounts | undefined> {
  return isBatchId(batch) ? findBatchCounts(database, batch) : undefined;
}

async function showBatch(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const batch = await findBatch(deps, request.params);
  if (batch === undefined) return unknownBatch();
  const now = deps.clock.now();
  const lists: Html[] = [];
  for (const { networkOperator, errored, pending } of batch.operatorProgress) {
    if (errored > 0) lists.push(await erroredPart(deps, request, batch, networkOperator));
    if (pending > 0) lists.push(await deferredPart(deps, request, batch, networkOperator, now));
  }
  const body = html`${headPart(batch, deps)} ${progressPart(batch, now)} ${actionsPart(batch, request)} ${lists}`;
  return { title: `Batch ${batch.batchId}`, body };
}

function headPart(batch: BatchCounts, deps: SiteDeps): Html {
  const run = deps.runAddress(workflowIds.populateSupplyPoints(batch.batchId));
  return html`<dl class="pairs">
    <dt>Import suppliers</dt>
    <dd>${batch.importSuppliers.join(', ')}</dd>
    <dt>Customers</dt>
    <dd>${batch.customerCategory}, ${batch.customerAuthorisation ? 'with' : 'without'} customer authorization</dd>
    <dt>Sent</dt>
    <dd>${moment(batch.createdAt)}</dd>
    <dt>Ended</dt>
    <dd>${moment(batch.endedAt)}</dd>
    ${
      run !== undefined &&
      html`<dt>Run</dt>
        <dd>${linkAway(run, 'Open')}</dd>`
    }
  </dl>`;
}

/** Refreshes while the batch is open. */
function progressPart(batch: BatchCounts, now: Date): Html {
  const { operatorProgress } = batch;
  const isOpen = batch.status === 'IN_PROGRESS';
  const rows = operatorProgress.map(
    (one) =>
      html`<tr>
        <td>${networkOperatorTitles[one.networkOperator]}</td>
        <td>${progress(one.accepted - one.pending, one.accepted)}</td>
        <td class="number">${count(one.imported)}</td>
        <td class="number">${count(one.pending)}</td>
        <td class="number">${count(one.errored)}</td>
        <td class="number">${isOpen ? Math.round(one.ratePerSecond * 100) / 100 : ''}</td>
      </tr>`,
  );
  const end = isOpen ? estimatedEnd(operatorProgress, now.getTime()) : undefined;
  const heads = ['Network operator', 'Progress', 'Imported', 'Pending', 'Failed', 'Per second'];
  const content = html`<p>
      ${statusBadge(batch.status)}
      ${isOpen && html`${ratePerSecond(operatorProgress)} per second, estimated end: ${fromNow(end, now)}.`}
      <span class="fine">As of ${moment(now)}.</span>
    </p>
    ${table('Progress at each network operator', heads, rows)}`;
  if (!isOpen) return html`<section id="progress">${content}</section>`;
  const polledAt = `${batchPath(batch.batchId)}/now`;
  return html`<section id="progress" hx-get="${polledAt}" hx-trigger="every 5s" hx-swap="outerHTML">
    ${content}
  </section>`;
}

function actionsPart({ batchId, status, operatorProgress }: BatchCounts, request: PageRequest): Html {
  if (!request.may('population-batch.steer')) return html``;
  const failed = operatorProgress.reduce((sum, { errored }) => sum + errored, 0);
  const at = batchPath(batchId);
  return html`<div class="pair">
    ${
      (failed > 0 || status === 'IN_PROGRESS') &&
      reasonForm(request, { action: `${at}/retry`, button: 'Request failed identifiers again', id: 'retry-reason' })
    }
    ${
      status === 'IN_PROGRESS' &&
      reasonForm(request, {
        action: `${at}/cancel`,
        button: 'Cancel pending identifiers',
        id: 'cancel-reason',
        tone: 'danger',
      })
    }
  </div>`;
}

/** The cursor of a list in the address. */
function cursorIn({ query }: PageRequest, name: string): string {
  const after = query.get(name) ?? '';
  return /^\d{1,18}$/.test(after) ? after : '0';
}

async function erroredPart(
  { database }: SiteDeps,
  request: PageRequest,
  { batchId, status }: BatchCounts,
  networkOperator: NetworkOperatorName,
): Promise<Html> {
  const name = `failed_${networkOperator}`;
  const found = await listErrored(database, { batchId, networkOperator }, LISTED + 1, cursorIn(request, name));
  const shown = found.slice(0, LISTED);
  const rows = shown.map(
    ({ identifier, reason }) =>
      html`<tr>
        <td>
          <a href="${pointPath(networkOperator, identifier)}"><code>${identifier}</code></a>
        </td>
        <td><code>${reason}</code></td>
      </tr>`,
  );
  const label = `Failed at ${networkOperatorTitles[networkOperator]}`;
  return html`<h2>${label}</h2>
    ${rows.length > 0 && table(label, ['Identifier', 'Reason'], rows)}
    ${
      status === 'CANCELLED' &&
      html`<p class="fine">
        Identifiers that were pending when the batch was canceled are counted as failed, but not listed.
      </p>`
    }
    ${found.length > LISTED && nextPage(addressOf(batchPath(batchId), { [name]: shown.at(-1)?.key }))}`;
}

async function deferredPart(
  { database }: SiteDeps,
  request: PageRequest,
  { batchId }: BatchCounts,
  networkOperator: NetworkOperatorName,
  now: Date,
): Promise<Html> {
  const name = `deferred_${networkOperator}`;
  const found = await listDeferred(database, batchId, networkOperator, LISTED + 1, cursorIn(request, name));
  if (found.length === 0) return html``;
  const shown = found.slice(0, LISTED);
  const rows = shown.map(
    ({ identifier, tries, nextAttemptAt }) =>
      html`<tr>
        <td>
          <a href="${pointPath(networkOperator, identifier)}"><code>${identifier}</code></a>
        </td>
        <td class="number">${tries}</td>
        <td>${fromNow(nextAttemptAt, now)}</td>
      </tr>`,
  );
  const label = `Deferred at ${networkOperatorTitles[networkOperator]}`;
  return html`<h2>${label}</h2>
    ${table(label, ['Identifier', 'Attempts', 'Next attempt'], rows)}
    ${found.length > LISTED && nextPage(addressOf(batchPath(batchId), { [name]: shown.at(-1)?.key }))}`;
}
