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
  setThrottle,
  speedIn,
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
  isNetworkOperator,
} from '../../vocabulary/network-operators.ts';
import { isUuid } from '../../vocabulary/wire-forms.ts';
import { badge, code, count, fromNow, link, linkAway, moment } from '../frame/cells.ts';
import { filePage, listPages, listPart, numbers, NUMBERS, pageOf, type List } from '../frame/list.ts';
import { livePart, pairs, table, auditPart } from '../frame/parts.ts';
import { orderOf, fieldsIn } from '../frame/form-checks.ts';
import { filterForm, reasonForm, supplierField, form, reason } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import {
  accepted,
  done,
  handler,
  page,
  polledPart,
  type PageAnswer,
  type PageRequest,
  problem,
} from '../frame/page.ts';
import { batchPath, deferredPath, pointPath, SUPPLY_POINTS, throttlePath, addressOf } from '../frame/paths.ts';
import { workflowIds } from '../../../temporal.config.ts';
import { identifiersIn } from './lookups.page.ts';
import { unknownNetworkOperator } from '../../supply-points/throttle/throttle.rules.ts';
import type { SpeedEffect } from '../../supply-points/throttle/throttle.openapi.ts';

const SPEEDS = `${SUPPLY_POINTS}/speeds`;
const BATCH = `${SUPPLY_POINTS}/batches/:batch`;

/** The speed of lookups by network operator, batches with their progress, and single batches with the forms that steer them. */
export const batchPages = [
  ...listPages({
    path: SUPPLY_POINTS,
    title: () => 'Supply points',
    list: batchesOf,
    isLive: true,
    body: async (request, list) =>
      html`${findForm()} ${await speedsPart(request)}
        <h2>Batches</h2>
        ${list}`,
  }),
  polledPart(SPEEDS, speedsPart),
  // Before the page, whose path it matches too.
  filePage(BATCH, async (request) => identifiersOf(request, await findBatch(request))),
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

/** The speeds of network operators, which refresh. */
async function speedsPart(request: PageRequest): Promise<Html> {
  const cards: Html[] = [];
  for (const name of networkOperators) {
    cards.push(speedCard(name, accepted(await previewThrottle(request, name, new URLSearchParams())), request.now));
  }
  return livePart({ id: 'speeds', label: 'Speeds', from: SPEEDS }, html`<div class="cards">${cards}</div>`);
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

/** Sorted by the time-ordered keys of batches. */
function batchesOf({ database, query, now }: PageRequest): List<BatchView> {
  const total = ({ counts }: BatchView, part: keyof BatchView['counts']) => counts[part].prm_ids + counts[part].pce_ids;
  const options = [['', 'all batches'] as const, ...batchStatuses];
  return {
    name: 'batches',
    path: SUPPLY_POINTS,
    label: 'Batches, newest first',
    filters: [
      { label: 'Status of batches', name: 'status', value: query.get('status'), options },
      supplierField(query),
    ],
    sorts: ['-created_at'],
    columns: {
      batch_id: ['Batch', ({ batch_id: id }) => link(batchPath(id), code(id)), 'row'],
      status: ['Status', ({ status }) => statusBadge(status)],
      import_suppliers: ['Import suppliers', (one) => one.import_suppliers.join(', ')],
      counts: ['Progress', (one) => progress(total(one, 'accepted') - total(one, 'pending'), total(one, 'accepted'))],
      errored: numbers('Failed', (one) => total(one, 'errored')),
      rate_per_second: ['Per second', (one) => one.status === 'IN_PROGRESS' && one.rate_per_second, 'number'],
      ended_at: ['Actual or estimated end', (one) => fromNow(one.ended_at ?? one.estimated_end, now)],
      created_at: ['Sent', (one) => fromNow(one.created_at, now)],
    },
    read: async (window) => {
      const page = accepted(await findBatchPage(database, window.query, window.limit));
      return { rows: page.batches, next: page.next_cursor };
    },
    empty: 'No batch matches these filters.',
  };
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

const idOf = ({ params }: PageRequest) => params['batch'] ?? '';

async function findBatch(request: PageRequest): Promise<BatchCounts> {
  const id = idOf(request);
  const batch = isUuid(id) ? await findBatchCounts(request.database, id) : undefined;
  return accepted(batch ?? unknownBatch());
}

async function showBatch(request: PageRequest): Promise<PageAnswer> {
  const batch = await findBatch(request);
  const body = html`${headPart(batch, request)} ${progressPart(batch, request)}
  ${request.may('population-batch.steer') && actionsPart(batch, request)}
  ${listsOf(batch).length > 0 && (await listPart(request, identifiersOf(request, batch)))}`;
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

/** The lists of identifiers that need attention: failed and deferred ones at each network operator. */
function listsOf({ operatorProgress }: BatchCounts) {
  return operatorProgress.flatMap(({ networkOperator, errored, pending }) => {
    const at = networkOperatorTitles[networkOperator];
    const failed = { networkOperator, isFailed: true, name: `Failed at ${at}` };
    const deferred = { networkOperator, isFailed: false, name: `Deferred at ${at}` };
    return [...(errored > 0 ? [failed] : []), ...(pending > 0 ? [deferred] : [])];
  });
}

interface ListedIdentifier {
  identifier: string;
  key: string;
  reason?: string;
  tries?: number;
  nextAttemptAt?: Date;
}

/** Sorted by the keys of lookups. */
function identifiersOf({ database, query, now }: PageRequest, batch: BatchCounts): List<ListedIdentifier> {
  const { batchId, status } = batch;
  const lists = listsOf(batch);
  const shown = lists.find((one) => one.name === query.get('list')) ?? lists[0];
  const { networkOperator, isFailed, name = 'Identifiers' } = shown ?? { networkOperator: 'enedis', isFailed: true };
  return {
    name: 'identifiers',
    path: batchPath(batchId),
    label: name,
    filters: [{ label: 'Identifiers', name: 'list', value: name, options: lists.map((one) => one.name) }],
    columns: {
      identifier: ['Identifier', ({ identifier: id }) => link(pointPath(networkOperator, id), code(id)), 'row'],
      reason: isFailed && ['Reason', ({ reason }) => code(reason)],
      tries: !isFailed && ['Attempts', ({ tries }) => tries, 'number'],
      next_attempt_at: !isFailed && [
        'Next attempt',
        (one) => fromNow(one.nextAttemptAt, now),
        undefined,
        (one) => one.nextAttemptAt,
      ],
    },
    cursors: NUMBERS,
    read: async ({ cursor = '0', limit }) => {
      const found: ListedIdentifier[] = isFailed
        ? await listErrored(database, { batchId, networkOperator }, limit + 1, cursor)
        : await listDeferred(database, batchId, networkOperator, limit + 1, cursor);
      const note =
        status === 'CANCELLED' &&
        html`<p class="fine">
          Identifiers that were pending when the batch was canceled are counted as failed, but not listed.
        </p>`;
      return { ...pageOf(found, limit, ({ key }) => key), note };
    },
    empty: 'No identifier is in this list.',
  };
}

const PATH = `${SUPPLY_POINTS}/throttle/:operator`;
const FIELDS = ['requests_per_second', 'requests_per_hour'] as const;

/** The speed of a network operator: a preview of its effect, then the change. */
export const throttlePages = [page(PATH, showThrottle), handler(PATH, 'throttle.set', saveThrottle)];

async function showThrottle(request: PageRequest): Promise<PageAnswer> {
  const { operator: name } = request.params;
  if (!isNetworkOperator(name)) return accepted(unknownNetworkOperator());
  const preview = accepted(await previewThrottle(request, name, request.query));
  const { blocked_until: blocked } = preview;
  const isAsked = FIELDS.some((field) => request.query.get(field));
  const body = html`${
    blocked !== null &&
    html`<p>
      ${badge('rate limited', 'warn')} The network operator asked for a pause. Next call:
      ${fromNow(blocked, request.now)}.
    </p>`
  }
  ${effectPart(preview, isAsked, request.now)}
  ${
    request.may('throttle.set') &&
    html`<div class="pair">${askForm(preview, name)} ${isAsked && confirmForm(preview, request, name)}</div>`
  }
  ${await auditPart(request, 'Changes of the speed', `network-operators/${name}/throttle`)}`;
  return { title: `Speed of ${networkOperatorTitles[name]}`, body };
}

async function saveThrottle(request: PageRequest): Promise<PageAnswer> {
  const { form: sent } = request;
  const at = throttlePath(request.params['operator'] ?? '');
  const { reason: given } = fieldsIn(sent);
  const body = { ...speedIn(sent), ...(given === undefined ? {} : { reason: given }) };
  // The speed when the page was shown.
  const [perSecond, perHour] = FIELDS.map((field) => Number(sent.get(`seen_${field}`) ?? NaN));
  const seen = { requests_per_second: perSecond!, requests_per_hour: perHour! };
  const saved = accepted(await setThrottle(request, { ...request, body }, seen));
  if (saved !== undefined) return done(at, 'The speed was set. It applies to all workers within a second.');
  return problem(
    addressOf(at, Object.fromEntries(FIELDS.map((field) => [field, sent.get(field)]))),
    'Nothing was changed, because someone else has just changed the speed. Check the effect and set it again.',
  );
}

/** The effect of the current speed and of the proposed one. */
function effectPart(preview: ThrottlePreview, isAsked: boolean, now: Date): Html {
  const { now: current, proposed, pending, open_batches: batches } = preview;
  const end = (at: string | null) => (at === null ? 'never' : moment(at, now));
  const rows: readonly (readonly [label: string, cell: (effect: SpeedEffect) => Part])[] = [
    ['Maximum calls per second', (effect) => count(effect.requests_per_second)],
    ['Maximum calls per hour', (effect) => count(effect.requests_per_hour)],
    [
      'Effective speed',
      ({ used_per_second: used }) => (used === 0 ? badge('lookups paused', 'warn') : `${used} per second`),
    ],
    ['End of a million lookups that start now', (effect) => end(effect.million_ends_at)],
    [`End of the ${count(pending)} pending lookups`, (effect) => (pending === 0 ? '–' : end(effect.pending_ends_at))],
  ];
  return html`${table('Effect of the speed', rows, [
      ['', ([label]) => label, 'row'],
      ['Current', ([, cell]) => cell(current)],
      isAsked && ['Proposed', ([, cell]) => cell(proposed)],
    ])}
    <p class="fine">
      ${batches} open ${batches === 1 ? 'batch' : 'batches'}. The times are the earliest possible: a network operator
      may respond more slowly. An identifier that is in several batches is requested once.
    </p>`;
}

function askForm({ proposed }: ThrottlePreview, name: string): Html {
  const [perSecond, perHour] = FIELDS;
  const number = { inputmode: 'decimal', required: true } as const;
  const hint = '0 pauses all lookups. The lower limit of the two applies; the effective speed stays slightly below it.';
  return filterForm({
    action: throttlePath(name),
    id: 'ask',
    title: 'New speed',
    fields: [
      { label: 'Maximum calls per second', name: perSecond, value: proposed[perSecond], ...number },
      { label: 'Maximum calls per hour', name: perHour, value: proposed[perHour], ...number, hint },
    ],
    button: 'Preview the effect',
    tone: 'quiet',
    look: 'narrow',
  });
}

function confirmForm({ now: seen, proposed }: ThrottlePreview, request: PageRequest, name: string): Html {
  return form(request, {
    action: throttlePath(name),
    title: 'Confirm',
    hidden: Object.fromEntries(
      FIELDS.flatMap((field) => [
        [field, proposed[field]],
        [`seen_${field}`, seen[field]],
      ]),
    ),
    fields: [
      html`<p>
        At most ${count(proposed.requests_per_second)} calls per second and ${count(proposed.requests_per_hour)} per
        hour.${proposed.used_per_second === 0 && ' No lookup is sent until the speed is set again.'}
      </p>`,
      reason(true),
    ],
    button: 'Set this speed',
  });
}
