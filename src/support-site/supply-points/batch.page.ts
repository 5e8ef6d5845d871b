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
import { networkOperatorTitles } from '../../vocabulary/network-operators.ts';
import {
  code,
  count,
  fromNow,
  link,
  linkAway,
  livePart,
  moment,
  pairs,
  table,
  type Column,
} from '../frame/elements.ts';
import { reasonForm } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { nextPage } from '../frame/list-parts.ts';
import { accepted, done, handler, page, polledPart, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { addressOf, batchPath, pointPath, SUPPLY_POINTS } from '../frame/paths.ts';
import { progress, statusBadge } from './speeds-and-batches.page.ts';
import { identifiersIn, orderOf, steering } from './steering.ts';

const PATH = `${SUPPLY_POINTS}/batches/:batch`;
const LISTED = 100;

/** One batch: progress by network operator, failures, and the forms that retry or cancel it. */
export const batchPages = [
  page(PATH, showBatch),
  polledPart(`${PATH}/now`, async (request) => progressPart(await findBatch(request), request)),
  handler(`${PATH}/cancel`, 'population-batch.steer', async (request) => {
    const reply = await cancelBatch(steering(request), orderOf(request));
    return done(batchPath(idOf(request)), `${identifiersIn(reply, 'cancelled')} canceled.`);
  }),
  handler(`${PATH}/retry`, 'population-batch.steer', async (request) => {
    const reply = await retryBatch(steering(request), orderOf(request));
    return done(batchPath(idOf(request)), `${identifiersIn(reply, 'retried')} will be requested again.`);
  }),
];

const idOf = ({ params }: PageRequest) => params['batch'] ?? '';

async function findBatch(request: PageRequest): Promise<BatchCounts> {
  const id = idOf(request);
  const batch = isBatchId(id) ? await findBatchCounts(request.database, id) : undefined;
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
