import { accountPath, addressOf } from '../frame/paths.ts';
import type { MessageList } from '../../switching/index.ts';
import { unmatchedKinds, type MessageView } from '../../switching/market-message.schema.ts';
import { badge, fromNow, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { accountField, selectCell, selectionForm, nextPage, optionsOf, supplierField } from '../frame/list-parts.ts';
import type { PageRequest } from '../frame/page.ts';

export const MESSAGES = '/messages';

/** The name of each effect; other effects are shown by their name in the API. */
const NAMES = new Map([
  ['fits-nothing', 'fits no switch state'],
  ['unknown-account', 'unknown account'],
  ['unknown-point', 'unknown supply point'],
  ['set-aside', 'dismissed'],
  ['changed-nothing', 'duplicate'],
]);

export function effectName(effect: string): string {
  return NAMES.get(effect) ?? effect;
}

/** Path of the page of a message. */
export function messagePath(id: string): string {
  return `${MESSAGES}/${encodeURIComponent(id)}`;
}

/** The list of unmatched messages with filters; people with the permission can dismiss the selected ones. */
export function listBody(list: MessageList, request: PageRequest, now: Date): Html {
  const { query } = request;
  return html`<p class="fine">
      Market messages that match no account, supply point or switch state. A message is applied automatically once it
      matches.
    </p>
    ${filters(query)}
    ${list.messages.length === 0 ? nothing('There are no unmatched messages.') : rowsPart(list, request, now)}
    ${
      list.next_cursor !== null &&
      nextPage(addressOf(MESSAGES, { ...Object.fromEntries(query), cursor: list.next_cursor }))
    }`;
}

function filters(query: URLSearchParams): Html {
  return html`<form class="row" method="get" action="${MESSAGES}" role="search">
    <select name="kind" aria-label="Reason">
      <option value="">any reason</option>
      ${optionsOf(unmatchedKinds, query.get('kind'), NAMES)}
    </select>
    ${supplierField(query)} ${accountField(query)}
    <button class="quiet">Filter</button>
  </form>`;
}

function rowsPart({ messages }: MessageList, request: PageRequest, now: Date): Html {
  const mayDecide = request.may('market-message.decide');
  const heads = ['Message', 'Outcome', 'Occurred', 'Account', 'Supply point', 'Reason', 'Received'];
  const label = 'Unmatched messages, oldest first';
  const rows = messages.map((one) => rowOf(one, mayDecide, now));
  if (!mayDecide) return table(label, heads, rows);
  const button = html`<button class="danger">Dismiss the selected messages</button>`;
  const hidden = html`<input type="hidden" name="back" value="${request.here}" />`;
  return selectionForm(request, { action: `${MESSAGES}/dismiss`, name: 'id', label, heads, rows, button, hidden });
}

function rowOf(one: MessageView, mayDecide: boolean, now: Date): Html {
  const account = `${one.import_supplier}/${one.external_account_number}`;
  return html`<tr>
    ${mayDecide && selectCell('id', one.message_id, `message ${one.message_id}`)}
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
