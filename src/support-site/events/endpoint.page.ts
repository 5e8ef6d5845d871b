import { workflowIds } from '../../../temporal.config.ts';
import { changeAuditedSecret, endAuditedEndpoint, readEndpoint, WAITING_COUNTED_MAX } from '../../events/index.ts';
import type { EndpointWithSecret, EndpointWithWaiting, EventEndpointView } from '../../events/event-endpoint.schema.ts';
import { retrySelected } from '../../stuck/index.ts';
import { stuckIds } from '../../stuck/stuck-id.rules.ts';
import { badge, buttonLink, code, count, fromNow, link, linkAway, moment, pairs } from '../frame/elements.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { form, reason } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { auditPart } from '../frame/list-parts.ts';
import { accepted, done, handler, invalid, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { addressOf, endpointPath, EVENTS, FEED } from '../frame/paths.ts';
import { findStuck } from '../stuck/stuck-parts.ts';

const PATH = `${EVENTS}/endpoints/:endpoint`;
/** Stuck items that are searched for the endpoint. */
const STUCK_READ = 2_000;

const idOf = ({ params }: PageRequest) => params['endpoint'] ?? '';

/** The page of an endpoint with the forms that change it. */
export const endpointPages = [
  page(PATH, showEndpoint),
  handler(`${PATH}/secret`, 'event-endpoint.change', changeSecret),
  handler(`${PATH}/remove`, 'event-endpoint.change', async (request) => {
    accepted(await endAuditedEndpoint(request, request.actor, idOf(request), fieldsIn(request.form)));
    return done(EVENTS, 'The endpoint was removed.');
  }),
  handler(`${PATH}/retry`, 'stuck.retry', async (request) => {
    const ids = [stuckIds.of(workflowIds.deliverEvents(idOf(request)))];
    const { gone } = accepted(await retrySelected(request, request, ids, request.hungUp()));
    const text = gone === undefined ? 'The delivery is retried now.' : 'No event is waiting for delivery.';
    return done(endpointPath(idOf(request)), text);
  }),
];

async function showEndpoint(request: PageRequest): Promise<PageAnswer> {
  const id = idOf(request);
  const endpoint = accepted(await readEndpoint(request, id));
  const { import_supplier: supplier } = endpoint;
  const isFailing = endpoint.failing_since !== null;
  const run = request.runAddress(workflowIds.deliverEvents(id));
  const body = html`<p>${link(EVENTS, 'All endpoints')}</p>
    ${await factsPart(endpoint, request)} ${isFailing && request.may('stuck.retry') && retryForm(id, request)}
    <p>
      ${link(addressOf(FEED, { import_supplier: supplier }), `Events of ${supplier}`)}
      ${isFailing && linkAway(run, `Run in Temporal's web UI`, '')}
    </p>
    ${endpoint.ended_at === null && request.may('event-endpoint.change') && actionsPart(endpoint, request)}
    ${await auditPart(request, 'Audit of this endpoint', `event-endpoints/${id}`)}`;
  return { title: `Events of ${supplier}`, body };
}

/** The state of an endpoint. */
export function endpointBadge(endpoint: EventEndpointView): Html {
  const { ended_because: ended, failing_since: failing, delivered_at: at } = endpoint;
  if (ended !== null) return badge(ended === 'gone' ? 'ended: responded with 410' : 'removed');
  if (failing !== null) return badge('failing', 'bad');
  return at === null ? badge('nothing delivered yet') : badge('delivering', 'good');
}

/** The state of an endpoint: deliveries, waiting events and the secrets that sign. */
async function factsPart(endpoint: EndpointWithWaiting, request: PageRequest): Promise<Html> {
  const { now } = request;
  const { events_waiting: waiting, waiting_since: since, old_secret_until: until } = endpoint;
  const isFailing = endpoint.failing_since !== null;
  const waitingPart = html`${waiting >= WAITING_COUNTED_MAX && 'at least '}${count(waiting)}, the oldest
  ${fromNow(since, now)}`;
  return html`<div class="card">
    <p>${endpointBadge(endpoint)}</p>
    ${pairs([
      ['URL', code(endpoint.url)],
      ['Import supplier', endpoint.import_supplier],
      ['Jobs and batches of organization', endpoint.organisation ?? 'none: only events of accounts'],
      ['Last success', endpoint.delivered_at === null ? 'never' : fromNow(endpoint.delivered_at, now)],
      ['Failing since', isFailing && fromNow(endpoint.failing_since, now)],
      ['Last failure', endpoint.failure ?? undefined],
      ['Next attempt', isFailing && (await nextTryOf(endpoint, request))],
      ['Events to deliver', waiting === 0 ? 'none' : waitingPart],
      ['Signing secrets', until === null ? '1' : html`2: the new one and, until ${moment(until)}, the previous one`],
      ['Registered', moment(endpoint.created_at)],
      ['Ended', endpoint.ended_at !== null && moment(endpoint.ended_at)],
    ])}
  </div>`;
}

async function nextTryOf({ endpoint_id: id }: EndpointWithWaiting, request: PageRequest): Promise<Part> {
  const list = await findStuck(request, { pageSize: STUCK_READ });
  const item = list?.stuck.find(({ endpoint_id: endpoint }) => endpoint === id);
  if (item === undefined) return 'not known: Temporal is unavailable, or the run is about to start';
  const { next_attempt_at: at } = item;
  return at === null ? `in progress, or paused in Temporal's web UI` : fromNow(at, request.now);
}

function retryForm(id: string, request: PageRequest): Html {
  const more = html`<span class="fine"
    >Deliveries are also retried automatically, for as long as the events are kept.</span
  >`;
  return form(request, { action: `${endpointPath(id)}/retry`, button: 'Retry now', more, look: 'row' });
}

/** The forms that change the secret and remove the endpoint. */
function actionsPart(endpoint: EndpointWithWaiting, request: PageRequest): Html {
  const at = endpointPath(endpoint.endpoint_id);
  const { old_secret_until: until } = endpoint;
  const effect =
    until === null
      ? 'The new secret is shown once. The current one also signs for another 24 hours.'
      : html`Two secrets sign until ${moment(until)}. Another change ends the older one immediately.`;
  const end = 'Deliveries to this endpoint end permanently. The supplier can still read its events.';
  return html`<div class="pair">
    ${form(request, {
      action: `${at}/secret`,
      id: 'secret',
      title: 'Change the secret',
      hidden: { seen: until },
      fields: [html`<p class="fine">${effect}</p>`, reason()],
      button: 'Create a new secret',
      ask: until === null ? undefined : 'The previous secret ends immediately. Continue?',
    })}
    ${form(request, {
      action: `${at}/remove`,
      id: 'remove',
      title: 'Remove the endpoint',
      fields: [html`<p class="fine">${end}</p>`, reason()],
      button: 'Remove',
      tone: 'danger',
      ask: 'End all deliveries to this endpoint?',
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
export function secretPage({ endpoint_id: id, secret, old_secret_until: until }: EndpointWithSecret): PageAnswer {
  const body = html`<h2>The secret</h2>
    <p>The secret is shown only once. Hand it over by a secure channel, then close this page.</p>
    <p class="card">${code(secret)}</p>
    <p>
      It signs all deliveries from now
      on.${until !== null && html` Until ${moment(until)}, deliveries also carry a signature with the previous secret.`}
    </p>
    <p>${buttonLink(endpointPath(id), 'Done', 'plain')}</p>`;
  return { title: 'Events', body };
}
