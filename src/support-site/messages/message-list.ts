import { accountPath } from '../frame/paths.ts';
import type { MessageList } from '../../switching/index.ts';
import { unmatchedKinds, type MessageView } from '../../switching/market-message.schema.ts';
import { addressOf } from '../frame/address.ts';
import { badge, fromNow, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { accountField, markCell, markedForm, nextPage, optionsOf, supplierField } from '../frame/list-parts.ts';
import type { PageRequest } from '../frame/page.ts';

/** Where the list stands. */
export const MESSAGES = '/messages';

/** What each kind is called; of what else became of a message, its name in the API is shown. */
const NAMES = new Map([
  ['fits-nothing', 'fits no state'],
  ['unknown-account', 'unknown account'],
  ['unknown-point', 'unknown supply point'],
  ['set-aside', 'dismissed'],
  ['changed-nothing', 'said before'],
]);

/** What an effect is called. */
export function effectName(effect: string): string {
  return NAMES.get(effect) ?? effect;
}

/** Path of the page of a message. */
export function messagePath(id: string): string {
  return `${MESSAGES}/${encodeURIComponent(id)}`;
}

/** The list of messages that fit nothing, with filters; those who may can dismiss what they mark. */
export function listBody(list: MessageList, request: PageRequest, now: Date): Html {
  const { query } = request;
  return html`<p class="fine">
      What network operators said of switches that fits no account or no state. It waits here and is applied by itself
      once it fits.
    </p>
    ${filters(query)} ${list.messages.length === 0 ? nothing('No message waits.') : rowsPart(list, request, now)}
    ${
      list.next_cursor !== null &&
      nextPage(addressOf(MESSAGES, { ...Object.fromEntries(query), cursor: list.next_cursor }))
    }`;
}

function filters(query: URLSearchParams): Html {
  return html`<form class="row" method="get" action="${MESSAGES}" role="search">
    <select name="kind" aria-label="Why it fits nothing">
      <option value="">for any reason</option>
      ${optionsOf(unmatchedKinds, query.get('kind'), NAMES)}
    </select>
    ${supplierField(query)} ${accountField(query)}
    <button class="quiet">Filter</button>
  </form>`;
}

function rowsPart({ messages }: MessageList, request: PageRequest, now: Date): Html {
  const mayDecide = request.may('market-message.decide');
  const heads = ['Message', 'Says', 'Happened', 'Of account', 'Supply point', 'Why it waits', 'Since'];
  const label = 'Messages that fit nothing, longest first';
  const rows = messages.map((one) => rowOf(one, mayDecide, now));
  if (!mayDecide) return table(label, heads, rows);
  const button = html`<button class="danger">Dismiss what is marked</button>`;
  const hidden = html`<input type="hidden" name="back" value="${request.here}" />`;
  return markedForm(request, { action: `${MESSAGES}/dismiss`, name: 'id', label, heads, rows, button, hidden });
}

function rowOf(one: MessageView, mayDecide: boolean, now: Date): Html {
  const account = `${one.import_supplier}/${one.external_account_number}`;
  return html`<tr>
    ${mayDecide && markCell('id', one.message_id, `message ${one.message_id}`)}
    <td>
      <a href="${messagePath(one.message_id)}"><code>${one.message_id}</code></a>
    </td>
    <td>${badge(one.outcome ?? '')}</td>
    <td>${moment(one.occurred_at)}</td>
    <td>
      ${
        one.effect === 'unknown-account'
          ? html`<code>${account}</code>`
          : html`<a href="${accountPath(one.import_supplier, one.external_account_number)}"><code>${account}</code></a>`
      }
    </td>
    <td><code>${one.supply_point_identifier}</code></td>
    <td>${badge(effectName(one.effect), 'warn')}<br /><small>${one.effect_detail}</small></td>
    <td>${fromNow(one.received_at, now)}</td>
  </tr>`;
}
