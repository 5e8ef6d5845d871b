import { endpointPath } from '../frame/paths.ts';
import { WAITING_COUNTED_MAX } from '../../events/index.ts';
import type { EndpointWithSecret, EndpointWithWaiting, EventEndpointView } from '../../events/event-endpoint.schema.ts';
import { badge, count, fromNow, moment, pairs } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { reasonField } from '../frame/list-parts.ts';
import type { PageRequest } from '../frame/page.ts';

/** The state of an endpoint. */
export function endpointBadge({
  ended_because: ended,
  failing_since: failing,
  delivered_at: at,
}: EventEndpointView): Html {
  if (ended !== null) return badge(ended === 'gone' ? 'ended: responded with 410' : 'removed');
  if (failing !== null) return badge('failing', 'bad');
  return at === null ? badge('nothing delivered yet') : badge('delivering', 'good');
}

/** The page that shows a secret, once. */
export function secretBody({ endpoint_id: id, secret, old_secret_until: until }: EndpointWithSecret): Html {
  return html`<h2>The secret</h2>
    <p>The secret is shown only once. Hand it over by a secure channel, then close this page.</p>
    <p class="card"><code>${secret}</code></p>
    <p>
      ${
        until === null
          ? 'It signs all deliveries from now on.'
          : html`It signs all deliveries from now on. Until ${moment(until)}, deliveries also carry a signature with the
            previous secret.`
      }
    </p>
    <p><a class="button" href="${endpointPath(id)}">Done</a></p>`;
}

/** The state of an endpoint: deliveries, waiting events and the secrets that sign. */
export function factsPart(endpoint: EndpointWithWaiting, nextTry: string | null | undefined, now: Date): Html {
  const { events_waiting: waiting, waiting_since: since, old_secret_until: until } = endpoint;
  const isFailing = endpoint.failing_since !== null;
  return html`<div class="card">
    <p>${endpointBadge(endpoint)}</p>
    ${pairs([
      ['URL', html`<code>${endpoint.url}</code>`],
      ['Import supplier', endpoint.import_supplier],
      ['Jobs and batches of organization', endpoint.organisation ?? 'none: only events of accounts'],
      ['Last success', endpoint.delivered_at === null ? 'never' : fromNow(endpoint.delivered_at, now)],
      ['Failing since', isFailing && fromNow(endpoint.failing_since, now)],
      ['Last failure', endpoint.failure ?? undefined],
      ['Next attempt', isFailing && nextTryOf(nextTry, now)],
      [
        'Events to deliver',
        waiting === 0
          ? 'none'
          : html`${waiting >= WAITING_COUNTED_MAX && 'at least '}${count(waiting)}, the oldest ${fromNow(since, now)}`,
      ],
      ['Signing secrets', until === null ? '1' : html`2: the new one and, until ${moment(until)}, the previous one`],
      ['Registered', moment(endpoint.created_at)],
      ['Ended', endpoint.ended_at !== null && moment(endpoint.ended_at)],
    ])}
  </div>`;
}

function nextTryOf(at: string | null | undefined, now: Date): Html | string {
  if (at === undefined) return 'not known: Temporal is unavailable, or the run is about to start';
  return at === null ? `in progress, or paused in Temporal's web UI` : fromNow(at, now);
}

/** The forms that change the secret and remove the endpoint. */
export function actionsPart(endpoint: EndpointWithWaiting, { formToken }: PageRequest): Html {
  const at = endpointPath(endpoint.endpoint_id);
  const { old_secret_until: until } = endpoint;
  return html`<div class="pair">
    <form
      class="narrow"
      method="post"
      action="${at}/secret"
      data-ask="${until === null ? '' : 'The previous secret ends immediately. Continue?'}"
    >
      <h2>Change the secret</h2>
      ${formToken}<input type="hidden" name="seen" value="${until}" />
      <p class="fine">
        ${
          until === null
            ? 'The new secret is shown once. The current one also signs for another 24 hours.'
            : html`Two secrets sign until ${moment(until)}. Another change ends the older one immediately.`
        }
      </p>
      ${reasonField('secret-reason')}
      <button>Create a new secret</button>
    </form>
    <form class="narrow" method="post" action="${at}/remove" data-ask="End all deliveries to this endpoint?">
      <h2>Remove the endpoint</h2>
      ${formToken}
      <p class="fine">Deliveries to this endpoint end permanently. The supplier can still read its events.</p>
      ${reasonField('remove-reason')}
      <button class="danger">Remove</button>
    </form>
  </div>`;
}
