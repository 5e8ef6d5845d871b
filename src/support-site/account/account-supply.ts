import { badge, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { below, rowsOf, textOf, type Stored } from './stored.ts';

/** Addresses, their points with what the network operator told, and what became of their switch. */
export function supplyPart(account: Stored): Html {
  return html`<section>
    <h2>Addresses and supply points</h2>
    ${rowsOf(account, 'supply_addresses').map(addressPart)}
    <h3>Switch history</h3>
    ${historyPart(account)} ${requestsPart(account)} ${messagesPart(account)}
  </section>`;
}

function addressPart(address: Stored): Html {
  const written = ['supply_address1', 'supply_address2', 'supply_address3', 'supply_address4', 'supply_postcode'];
  const lines = written.flatMap((line) => textOf(address, line) ?? []);
  return html`<h3>${lines.join(', ') || 'Address without lines'}</h3>
    <p class="fine">Customer there from ${textOf(address, 'customer_at_supply_address_from_date')}</p>
    ${rowsOf(address, 'supply_points').map(pointPart)}`;
}

function pointPart(point: Stored): Html {
  const status = textOf(point, 'switch_status') ?? '';
  return html`<div class="card point">
    <p><code>${textOf(point, 'identifier')}</code> ${textOf(point, 'supply_type')} ${switchBadge(status)}</p>
    ${pairs([
      ['Supply from', textOf(point, 'supply_start_date')],
      ['Billed every', textOf(point, 'billing_frequency') && `${textOf(point, 'billing_frequency')} months`],
      ['Consents', textOf(point, 'consent_data')],
      ['Network operator told', toldPart(below(point, 'look_up'))],
    ])}
    ${listOf('Agreements', rowsOf(point, 'agreements'), ['tariff_code', 'agreed_at', 'effective_from', 'effective_to'])}
    ${listOf('Payment schedules', rowsOf(point, 'payment_schedules'), [
      'amount',
      'means',
      'frequency',
      'day_of_month',
      'start_date',
    ])}
    ${listOf('Payment preferences', rowsOf(point, 'payment_preferences'), [
      'type',
      'vendor_name',
      'vendor_reference',
      'unresolved',
    ])}
  </div>`;
}

/** A state of the switch as a coloured word. */
export function switchBadge(status: string): Html {
  const tones = new Map<string, 'good' | 'bad' | 'warn'>([
    ['COMPLETED', 'good'],
    ['REJECTED', 'bad'],
    ['PENDING', 'warn'],
  ]);
  return badge(status, tones.get(status) ?? 'plain');
}

function toldPart(lookUp: Stored | undefined): Part {
  if (lookUp === undefined) return 'not asked';
  const facts = Object.keys(below(lookUp, 'facts') ?? {}).map(
    (name) => `${name} ${textOf(below(lookUp, 'facts'), name) ?? ''}`,
  );
  return html`${facts.join(', ')}
    <small>${textOf(lookUp, 'source')}, ${moment(textOf(lookUp, 'looked_up_at'))}</small>`;
}

function historyPart(account: Stored): Html {
  const rows = rowsOf(account, 'switch_history').map(
    (one) =>
      html`<tr>
        <td>${moment(textOf(one, 'at'))}</td>
        <td><code>${textOf(one, 'supply_point_identifier')}</code></td>
        <td>${textOf(one, 'from')} → ${switchBadge(textOf(one, 'to') ?? '')}</td>
        <td>${textOf(one, 'by')}</td>
        <td>${textOf(one, 'reason')}</td>
      </tr>`,
  );
  if (rows.length === 0) return nothing('Nothing changed yet.');
  return table('Switch history', ['When', 'Point', 'Status', 'By', 'Reason'], rows);
}

function requestsPart(account: Stored): Html {
  return listOf('Asked of the network operator', rowsOf(account, 'switch_requests'), [
    'requested_at',
    'supply_point_identifier',
    'round',
    'answered_at',
    'answer',
  ]);
}

function messagesPart(account: Stored): Html {
  return listOf('Market messages', rowsOf(account, 'market_messages'), [
    'occurred_at',
    'received_at',
    'supply_point_identifier',
    'outcome',
    'source',
    'effect',
    'effect_detail',
    'reason',
  ]);
}

/** Names and what stands for them; what there is not is left out. */
export function pairs(all: readonly (readonly [string, Part])[]): Html {
  const known = all.filter(([, value]) => value !== undefined && value !== '' && value !== false);
  return html`<dl class="pairs">
    ${known.map(
      ([name, value]) =>
        html`<dt>${name}</dt>
          <dd>${value}</dd>`,
    )}
  </dl>`;
}

/** Rows as a table of some of their members; nothing where there are none. */
export function listOf(title: string, rows: readonly Stored[], members: readonly string[]): Html {
  if (rows.length === 0) return html``;
  const used = members.filter((member) => rows.some((row) => textOf(row, member) !== undefined));
  const heads = used.map((member) => member.replaceAll('_', ' '));
  const body = rows.map(
    (row) =>
      html`<tr>
        ${used.map((member) => html`<td>${shown(textOf(row, member))}</td>`)}
      </tr>`,
  );
  return html`<h4>${title}</h4>
    ${table(title, heads, body)}`;
}

/** An instant to the second; everything else as it is. */
function shown(text: string | undefined): Part {
  return text !== undefined && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? moment(text) : text;
}
