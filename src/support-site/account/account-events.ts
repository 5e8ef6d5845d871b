import type { EventPage } from '../../events/index.ts';
import { timeline } from '../events/event-parts.ts';
import { moment, nothing } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';

/** What was told to the supplier about the account, as far as it was looked back. */
export function accountEventsPart({ events, next, lookedBackTo }: EventPage): Html {
  const isCut = next !== undefined && lookedBackTo !== undefined;
  return html`<section>
    <h2 id="events">Events</h2>
    ${
      events.length > 0
        ? timeline(events)
        : nothing(isCut ? 'None among the newest of its import supplier.' : 'None that are still kept.')
    }
    ${
      isCut &&
      html`<p>
        Looked back to ${moment(lookedBackTo)}. <a href="/events/feed?${next.toString()}">Look further back</a>
      </p>`
    }
  </section>`;
}
