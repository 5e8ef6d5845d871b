import { endpointPath } from '../frame/paths.ts';
import { WAITING_COUNTED_MAX, type EndpointWithSecret, type EndpointWithWaiting } from '../../events/index.ts';
import type { EventEndpointView } from '../../events/event-endpoint.schema.ts';
import { badge, count, fromNow, moment, pairs } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { reasonField } from '../frame/list-parts.ts';
import type { PageRequest } from '../frame/page.ts';

/** How it goes with an endpoint, in a word. */
export function endpointBadge({
  ended_because: ended,
  failing_since: failing,
  delivered_at: at,
}: EventEndpointView): Html {
  if (ended !== null) return badge(ended === 'gone' ? 'ended: it answered 410' : 'removed');
  if (failing !== null) return badge('failing', 'bad');
  return at === null ? badge('nothing delivered yet') : badge('takes events', 'good');
}

/** The page that shows a secret, once. */
export function secretBody({ endpoint_id: id, secret, old_secret_until: until }: EndpointWithSecret): Html {
  return html`<h2>The secret</h2>
    <p>This is the only time it is shown. Hand it over on a safe way, and close this page.</p>
    <p class="card"><code>${secret}</code></p>
    <p>
      ${
        until === null
          ? 'It signs what is delivered from now on.'
          : html`It signs from now on. The one before signs beside it until ${moment(until)}; until then either of them
            checks.`
      }
    </p>
    <p><a class="button" href="${endpointPath(id)}">Done</a></p>`;
}

/** State of an endpoint: what it took, what waits, and which secrets sign. */
export function factsPart(endpoint: EndpointWithWaiting, nextTry: string | null | undefined, now: Date): Html {
  const { events_waiting: waiting, waiting_since: since, old_secret_until: until } = endpoint;
  const isFailing = endpoint.failing_since !== null;
  return html`<div class="card">
    <p>${endpointBadge(endpoint)}</p>
    ${pairs([
      ['Address', html`<code>${endpoint.url}</code>`],
      ['Import supplier', endpoint.import_supplier],
      ['Jobs and batches of', endpoint.organisation ?? 'nobody: events of accounts alone'],
      ['Last success', endpoint.delivered_at === null ? 'never' : fromNow(endpoint.delivered_at, now)],
      ['Failing since', isFailing && fromNow(endpoint.failing_since, now)],
      ['Last failure', endpoint.failure ?? undefined],
      ['Next try', isFailing && nextTryOf(nextTry, now)],
      [
        'Waits to be delivered',
        waiting === 0
          ? 'nothing'
          : html`${waiting >= WAITING_COUNTED_MAX && 'at least '}${count(waiting)}, the first ${fromNow(since, now)}`,
      ],
      ['Secrets that sign', until === null ? 'one' : html`the new one, and until ${moment(until)} the one before`],
      ['Registered', moment(endpoint.created_at)],
      ['Ended', endpoint.ended_at !== null && moment(endpoint.ended_at)],
    ])}
  </div>`;
}

function nextTryOf(at: string | null | undefined, now: Date): Html | string {
  if (at === undefined) return 'not known: Temporal cannot be asked, or the run is about to start';
  return at === null ? 'under way, or paused in the web UI' : fromNow(at, now);
}

/** A new secret, and the end. */
export function actionsPart(endpoint: EndpointWithWaiting, { formToken }: PageRequest): Html {
  const at = endpointPath(endpoint.endpoint_id);
  const { old_secret_until: until } = endpoint;
  return html`<div class="pair">
    <form
      class="narrow"
      method="post"
      action="${at}/secret"
      data-ask="${until === null ? '' : 'The secret before the present one ends at once then. Go on?'}"
    >
      <h2>Change the secret</h2>
      ${formToken}<input type="hidden" name="seen" value="${until}" />
      <p class="fine">
        ${
          until === null
            ? 'The new one is shown once; the present one signs beside it for 24 hours.'
            : html`It was changed already: two sign until ${moment(until)}. Changed again, the older of them ends at
              once.`
        }
      </p>
      ${reasonField('secret-reason')}
      <button>Make a new secret</button>
    </form>
    <form class="narrow" method="post" action="${at}/remove" data-ask="Deliver nothing more to this address?">
      <h2>Remove it</h2>
      ${formToken}
      <p class="fine">Nothing more is delivered. The supplier can still read its events. It cannot be taken back.</p>
      ${reasonField('remove-reason')}
      <button class="danger">Remove</button>
    </form>
  </div>`;
}
