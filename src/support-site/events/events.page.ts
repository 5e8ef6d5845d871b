import { v7 as uuidv7, validate as isUuid } from 'uuid';
import {
  changeAuditedSecret,
  createAuditedEndpoint,
  endAuditedEndpoint,
  readEndpoint,
  readEndpoints,
  readNewestEvents,
  WAITING_COUNTED_MAX,
  type EventPage,
} from '../../events/index.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { badge, buttonLink, code, fromNow, link, linkAway, moment } from '../frame/cells.ts';
import { listPages, NUMBERS, pageIn, type List } from '../frame/list.ts';
import { auditPart, pairs, tabs } from '../frame/parts.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { accountField, form, reason, supplierChoice, supplierFilter } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { eventTypes, type EventType } from '../../vocabulary/events.ts';
import { accepted, done, handler, invalid, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, batchPath, endpointPath, EVENTS, FEED, jobPath } from '../frame/paths.ts';
import { workflowIds } from '../../../temporal.config.ts';
import type { EndpointWithSecret, EndpointWithWaiting, EventEndpointView } from '../../events/event-endpoint.schema.ts';
import { retrySelected, unlessAway } from '../../stuck/index.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { stuckIds } from '../../stuck/stuck-id.rules.ts';

const tabsAt = (at: string) =>
  tabs(
    t('Events'),
    [
      [EVENTS, t('Endpoints')],
      [FEED, t('Events')],
    ],
    at,
  );

const ENDPOINT = `${EVENTS}/endpoints/:endpoint`;

/** Events: the endpoints that receive them, single endpoints, and the newest events of an import supplier or account. */
export const eventPages = [
  ...listPages({
    path: EVENTS,
    title: () => t('Events'),
    list: endpointsOf,
    body: async (request, list) =>
      html`${tabsAt(EVENTS)} ${list}
      ${request.may('event-endpoint.change') && newForm(request, await supplierCodes(request.suppliers))}`,
  }),
  handler(`${EVENTS}/endpoints`, 'event-endpoint.change', create),
  ...listPages({
    path: FEED,
    title: () => t('Events'),
    list: feedOf,
    body: (_, list) => html`${tabsAt(FEED)} ${list}`,
  }),
  page(ENDPOINT, showEndpoint),
  handler(`${ENDPOINT}/secret`, 'event-endpoint.change', changeSecret),
  handler(`${ENDPOINT}/remove`, 'event-endpoint.change', async (request) => {
    accepted(await endAuditedEndpoint(request, request.actor, idOf(request), fieldsIn(request.form)));
    return done(EVENTS, t('The endpoint was removed.'));
  }),
  handler(`${ENDPOINT}/retry`, 'stuck.retry', async (request) => {
    const ids = [stuckIds.of(workflowIds.deliverEvents(idOf(request)))];
    const { gone } = accepted(await retrySelected(request, request, ids, request.hungUp()));
    const text = gone === undefined ? t('The delivery is retried now.') : t('No event is waiting for delivery.');
    return done(endpointPath(idOf(request)), text);
  }),
];

async function endpointsOf(request: PageRequest): Promise<List<EventEndpointView>> {
  const { query, now, viewer } = request;
  const supplier = query.get('import_supplier');
  const endpoints = await readEndpoints(request, viewer);
  const wanted = supplier ? endpoints.filter((one) => one.import_supplier === supplier) : endpoints;
  return {
    name: 'endpoints',
    path: EVENTS,
    label: t('Endpoints that receive events'),
    filters: [await supplierFilter(request)],
    columns: {
      url: ['URL', (one) => link(endpointPath(one.endpoint_id), code(one.url))],
      import_supplier: [t('Import supplier')],
      organisation: [t('Organization')],
      ended_because: [t('State'), endpointBadge],
      delivered_at: [t('Last success'), ({ delivered_at: at }) => (at === null ? t('never') : fromNow(at, now))],
      failing_since: [t('Failing since'), ({ failing_since: since }) => since !== null && fromNow(since, now)],
      failure: [t('Last failure'), undefined, 'advice'],
      created_at: [t('Registered'), ({ created_at: at }) => moment(at)],
    },
    cursors: NUMBERS,
    read: async (window) => pageIn(wanted, window),
    empty: t('No endpoint is registered. Suppliers can read their events from the API.'),
  };
}

function newForm(request: PageRequest, codes: readonly string[]): Html {
  const organisation = t('Organization whose import jobs and batches are included (leave empty for none)');
  return html`<h2>${t('Register an endpoint')}</h2>
    ${form(request, {
      action: `${EVENTS}/endpoints`,
      hidden: { id: uuidv7() },
      fields: [
        { ...supplierChoice(codes, null, '–'), required: true },
        { label: t('URL (starts with https://)'), name: 'url', maxlength: 2048, inputmode: 'url', required: true },
        { label: organisation, name: 'organisation', maxlength: 255 },
        { ...reason(), hint: t('Events from now on are delivered. The secret that signs them is shown once.') },
      ],
      button: t('Register'),
    })}`;
}

/** Only the response to this form shows the secret. */
async function create(request: PageRequest): Promise<PageAnswer> {
  const { id = '', ...body } = fieldsIn(request.form);
  if (!isUuid(id)) invalid('Reload the Events page and fill in the form again.');
  return secretPage(accepted(await createAuditedEndpoint(request, request.actor, body, id)));
}

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
  return badge(translated(type.replace(/^import\./, '').replace(/\.v\d+$/, '')), TONES[type] ?? 'plain');
}

/** The sentence of an event, with its code, pause, vendor and type. */
export function eventDetail(event: Event): Html {
  const { code: ofFault, paused_because: pause, vendor, type } = event.data as Record<string, string | undefined>;
  const codes = [ofFault, pause, vendor, type].filter(Boolean).join(', ');
  return html`${translated(eventTypes[event.type])} <small>${codes}</small>`;
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

/** Sorted by the positions of events. */
async function feedOf(request: PageRequest): Promise<List<Event>> {
  const { query, viewer, settings } = request;
  const hasSupplier = Boolean(query.get('import_supplier'));
  return {
    name: 'events',
    path: FEED,
    label: t('Events, newest first'),
    filters: [{ ...(await supplierFilter(request)), required: true }, accountField(query)],
    sorts: ['-time'],
    columns: {
      time: [t('Time'), ({ time }) => moment(time)],
      type: [t('Event'), badgeOf],
      subject: [t('Subject'), aboutOf],
      data: [t('Detail'), eventDetail, 'advice'],
    },
    cursors: NUMBERS,
    read: async ({ cursor = '', limit, query: wanted }) => {
      if (!hasSupplier) return { rows: [] };
      wanted.set('before', cursor);
      const { events, next, scannedBackTo } = accepted(await readNewestEvents(request, wanted, viewer, limit));
      const note = html`<p class="fine">
        ${t('Events are kept for {count} days.', { count: settings.EVENTS_KEPT_DAYS })}
        ${scannedBackTo !== undefined && t('This page goes back to {time}.', { time: moment(scannedBackTo) })}
      </p>`;
      return { rows: events, next, note };
    },
    empty: hasSupplier ? t('No events are stored.') : t('Choose an import supplier.'),
  };
}

/** Stuck items that are searched for the endpoint. */
const STUCK_READ = 2_000;

const idOf = ({ params }: PageRequest) => params['endpoint'] ?? '';

async function showEndpoint(request: PageRequest): Promise<PageAnswer> {
  const id = idOf(request);
  const endpoint = accepted(await readEndpoint(request, id));
  const { import_supplier: supplier } = endpoint;
  const isFailing = endpoint.failing_since !== null;
  const run = request.runAddress(workflowIds.deliverEvents(id));
  const body = html`<p>${link(EVENTS, t('All endpoints'))}</p>
    ${await factsPart(endpoint, request)} ${isFailing && request.may('stuck.retry') && retryForm(id, request)}
    <p>
      ${link(addressOf(FEED, { import_supplier: supplier }), t('Events of {supplier}', { supplier }))}
      ${isFailing && linkAway(run, t(`Run in Temporal's web UI`), '')}
    </p>
    ${endpoint.ended_at === null && request.may('event-endpoint.change') && actionsPart(endpoint, request)}
    ${await auditPart(request, t('Audit of this endpoint'), `event-endpoints/${id}`)}`;
  return { title: t('Events of {supplier}', { supplier }), body };
}

/** The state of an endpoint. */
function endpointBadge(endpoint: EventEndpointView): Html {
  const { ended_because: ended, failing_since: failing, delivered_at: at } = endpoint;
  if (ended !== null) return badge(ended === 'gone' ? t('ended: responded with 410') : t('removed'));
  if (failing !== null) return badge(t('failing'), 'bad');
  return at === null ? badge(t('nothing delivered yet')) : badge(t('delivering'), 'good');
}

/** The state of an endpoint: deliveries, waiting events and the secrets that sign. */
async function factsPart(endpoint: EndpointWithWaiting, request: PageRequest): Promise<Html> {
  const { now } = request;
  const { events_waiting: waiting, waiting_since: since, old_secret_until: until } = endpoint;
  const isFailing = endpoint.failing_since !== null;
  const counted = { count: waiting, time: fromNow(since, now) };
  const waitingPart =
    waiting >= WAITING_COUNTED_MAX
      ? t('at least {count}, the oldest {time}', counted)
      : t('{count}, the oldest {time}', counted);
  return html`<div class="card">
    <p>${endpointBadge(endpoint)}</p>
    ${pairs([
      ['URL', code(endpoint.url)],
      [t('Import supplier'), endpoint.import_supplier],
      [t('Jobs and batches of organization'), endpoint.organisation ?? t('none: only events of accounts')],
      [t('Last success'), endpoint.delivered_at === null ? t('never') : fromNow(endpoint.delivered_at, now)],
      [t('Failing since'), isFailing && fromNow(endpoint.failing_since, now)],
      [t('Last failure'), endpoint.failure ?? undefined],
      [t('Next attempt'), isFailing && (await nextTryOf(endpoint, request))],
      [t('Events to deliver'), waiting === 0 ? t('none') : waitingPart],
      [
        t('Signing secrets'),
        until === null
          ? '1'
          : html`${t('2: the new one and, until {time}, the previous one', { time: moment(until) })}`,
      ],
      [t('Registered'), moment(endpoint.created_at)],
      [t('Ended'), endpoint.ended_at !== null && moment(endpoint.ended_at)],
    ])}
  </div>`;
}

async function nextTryOf({ endpoint_id: id }: EndpointWithWaiting, request: PageRequest): Promise<Part> {
  const list = await unlessAway(() => request.stuck.list({ pageSize: STUCK_READ }));
  const item = isRefused(list) ? undefined : list.stuck.find(({ endpoint_id: endpoint }) => endpoint === id);
  if (item === undefined) return t('not known: Temporal is unavailable, or the run is about to start');
  const { next_attempt_at: at } = item;
  return at === null ? t(`in progress, or paused in Temporal's web UI`) : fromNow(at, request.now);
}

function retryForm(id: string, request: PageRequest): Html {
  const more = html`<span class="fine"
    >${t('Deliveries are also retried automatically, for as long as the events are kept.')}</span
  >`;
  return form(request, { action: `${endpointPath(id)}/retry`, button: t('Retry now'), more, look: 'row' });
}

/** The forms that change the secret and remove the endpoint. */
function actionsPart(endpoint: EndpointWithWaiting, request: PageRequest): Html {
  const at = endpointPath(endpoint.endpoint_id);
  const { old_secret_until: until } = endpoint;
  const effect =
    until === null
      ? t('The new secret is shown once. The current one also signs for another 24 hours.')
      : html`${t('Two secrets sign until {time}. Another change ends the older one immediately.', { time: moment(until) })}`;
  const end = t('Deliveries to this endpoint end permanently. The supplier can still read its events.');
  return html`<div class="pair">
    ${form(request, {
      action: `${at}/secret`,
      id: 'secret',
      title: t('Change the secret'),
      hidden: { seen: until },
      fields: [html`<p class="fine">${effect}</p>`, reason()],
      button: t('Create a new secret'),
      ask: until === null ? undefined : t('The previous secret ends immediately. Continue?'),
    })}
    ${form(request, {
      action: `${at}/remove`,
      id: 'remove',
      title: t('Remove the endpoint'),
      fields: [html`<p class="fine">${end}</p>`, reason()],
      button: t('Remove'),
      tone: 'danger',
      ask: t('End all deliveries to this endpoint?'),
    })}
  </div>`;
}

/** Rejects a form that is sent twice: it would end the secret that the supplier uses. */
async function changeSecret(request: PageRequest): Promise<PageAnswer> {
  const { seen = '', ...body } = fieldsIn(request.form);
  const endpoint = accepted(await readEndpoint(request, idOf(request)));
  if ((endpoint.old_secret_until ?? '') !== seen) {
    invalid(
      'Someone else has changed the secret since this page was loaded. Reload the page to see until when the previous secret signs.',
    );
  }
  return secretPage(accepted(await changeAuditedSecret(request, request.actor, idOf(request), body)));
}

/** The page that shows a secret, once. */
function secretPage({ endpoint_id: id, secret, old_secret_until: until }: EndpointWithSecret): PageAnswer {
  const body = html`<h2>${t('The secret')}</h2>
    <p>${t('The secret is shown only once. Hand it over by a secure channel, then close this page.')}</p>
    <p class="card">${code(secret)}</p>
    <p>
      ${t('It signs all deliveries from now on.')}
      ${until !== null && html`${t('Until {time}, deliveries also carry a signature with the previous secret.', { time: moment(until) })}`}
    </p>
    <p>${buttonLink(endpointPath(id), t('Done'), 'plain')}</p>`;
  return { title: t('Events'), body };
}
