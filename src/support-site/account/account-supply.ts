import { badge, code, moment } from '../frame/cells.ts';
import { nothing, pairs } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { below, listOf, pagedTable, partOfList, rowsOf, textOf, type ListPlace, type Stored } from './stored.ts';

/** Addresses are cards with tables, so a page shows fewer of them than rows of other lists. */
const ADDRESSES_SHOWN = 25;

/** Addresses, their points with data of the network operator, and the switch of each point. */
export function supplyPart(account: Stored, place: ListPlace): Html {
  const addresses = rowsOf(account, 'supply_addresses');
  const { shown, links } = partOfList('supply', addresses, place, ADDRESSES_SHOWN);
  return html`<section>
    <h2 id="supply">Addresses and supply points</h2>
    ${links} ${shown.map((address) => addressPart(address, place))} ${links}
    <h3 id="switch">Switch history</h3>
    ${historyPart(account, place)}
    ${listOf(
      'Requests to the industry switch',
      rowsOf(account, 'switch_requests'),
      ['requested_at', 'supply_point_identifier', 'round', 'answered_at', 'answer'],
      place,
    )}
    ${listOf(
      'Market messages',
      rowsOf(account, 'market_messages'),
      [
        ...['occurred_at', 'received_at', 'supply_point_identifier', 'outcome', 'source', 'effect', 'effect_detail'],
        'reason',
      ],
      place,
    )}
  </section>`;
}

/** The lines of an address that are not empty. @param prefix the part of the names before `address1` */
export function addressLine(of: Stored, prefix: 'supply' | 'billing'): string {
  const members = [1, 2, 3, 4].map((line) => `${prefix}_address${line}`);
  return [...members, `${prefix}_postcode`].flatMap((member) => textOf(of, member) ?? []).join(', ');
}

function addressPart(address: Stored, place: ListPlace): Html {
  const line = addressLine(address, 'supply') || 'Empty address';
  const points = rowsOf(address, 'supply_points');
  const { shown, links } = partOfList(`points at ${line}`, points, place, ADDRESSES_SHOWN);
  return html`<h3>${line}</h3>
    <p class="fine">Customer at this address from ${textOf(address, 'customer_at_supply_address_from_date')}</p>
    ${shown.map((point) => pointPart(point, place))} ${links}`;
}

function pointPart(point: Stored, place: ListPlace): Html {
  const status = textOf(point, 'switch_status') ?? '';
  const identifier = textOf(point, 'identifier') ?? '';
  const isHeld = status === 'PENDING' && textOf(point, 'held_since') !== undefined && !textOf(point, 'released_at');
  return html`<div class="card point">
    <p>
      ${code(identifier)} ${textOf(point, 'supply_type')} ${switchBadge(status)}
      ${isHeld && badge('on two accounts', 'warn')}
    </p>
    ${pairs([
      ['Supply from', textOf(point, 'supply_start_date')],
      ['Billed every', monthsOf(textOf(point, 'billing_frequency'))],
      ['Consents', consentsOf(point)],
      ['Switch on hold since', isHeld && moment(textOf(point, 'held_since'))],
      ['From the network operator', lookupPart(below(point, 'look_up'))],
    ])}
    ${listOf(
      `Agreements of ${identifier}`,
      rowsOf(point, 'agreements'),
      ['tariff_code', 'agreed_at', 'effective_from', 'effective_to', ['add-ons', addonsOf]],
      place,
    )}
    ${listOf(
      `Payment schedules of ${identifier}`,
      rowsOf(point, 'payment_schedules'),
      ['amount', 'means', 'frequency', 'day_of_month', 'start_date'],
      place,
    )}
    ${listOf(
      `Payment preferences of ${identifier}`,
      rowsOf(point, 'payment_preferences'),
      ['type', 'vendor_name', 'vendor_reference', 'unresolved'],
      place,
    )}
  </div>`;
}

function monthsOf(number: string | undefined): string | undefined {
  return number === '1' ? 'month' : number && `${number} months`;
}

function consentsOf(point: Stored): string {
  const consents = below(point, 'consent_data');
  const names = Object.keys(consents ?? {});
  return names.map((name) => `${name} ${textOf(consents, name) === 'true' ? 'yes' : 'no'}`).join(', ');
}

function addonsOf(agreement: Stored): string {
  return rowsOf(agreement, 'addons')
    .flatMap((addon) => textOf(addon, 'band') ?? [])
    .join(', ');
}

/** A state of the switch as a colored badge. */
export function switchBadge(status: string): Html {
  const tones = new Map<string, 'good' | 'bad' | 'warn'>([
    ['COMPLETED', 'good'],
    ['REJECTED', 'bad'],
    ['PENDING', 'warn'],
  ]);
  return badge(status, tones.get(status) ?? 'plain');
}

function lookupPart(lookup: Stored | undefined): Part {
  if (lookup === undefined) return 'not requested';
  const facts = below(lookup, 'facts');
  const known = Object.keys(facts ?? {}).map((name) => `${name.replaceAll('_', ' ')}: ${textOf(facts, name) ?? '–'}`);
  const isAuthorised = textOf(lookup, 'with_customer_authorisation') === 'true';
  return html`${known.join(', ')}
    <small>
      ${textOf(lookup, 'source')},
      ${moment(textOf(lookup, 'looked_up_at'))}${isAuthorised && ', with customer authorization'}
    </small>`;
}

function historyPart(account: Stored, place: ListPlace): Html {
  const history = rowsOf(account, 'switch_history');
  if (history.length === 0) return nothing('The switch status has not changed yet.');
  return pagedTable(
    'switch',
    'Switch history',
    history,
    [
      ['Time', (one) => moment(textOf(one, 'at'))],
      ['Supply point', (one) => code(textOf(one, 'supply_point_identifier'))],
      ['Status', (one) => html`${textOf(one, 'from')} → ${switchBadge(textOf(one, 'to') ?? '')}`],
      ['Changed by', (one) => textOf(one, 'by')],
      ['Reason', (one) => textOf(one, 'reason')],
    ],
    place,
  );
}
