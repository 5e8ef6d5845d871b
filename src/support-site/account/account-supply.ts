import { badge, code, moment } from '../frame/cells.ts';
import { nothing, pairs, type Column } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { labelOf } from '../frame/readable.ts';
import { below, listOf, partOfList, rowsOf, shownValue, textOf, type ListPlace, type Stored } from './stored.ts';

/** Addresses are cards with tables, so a page shows fewer of them than rows of other lists. */
const ADDRESSES_SHOWN = 25;

/** Addresses, their points with data of the network operator, and the switch of each point. */
export function supplyPart(account: Stored, place: ListPlace): Html {
  const { shown, links } = partOfList('supply', rowsOf(account, 'supply_addresses'), place, ADDRESSES_SHOWN);
  return html`<section id="supply" aria-label="${t('Addresses and supply points')}">
    ${shown.length === 0 && nothing(t('The account has no addresses.'))} ${links}
    ${shown.map((address) => addressPart(address, place))} ${links}
  </section>`;
}

/** The lines of an address that are not empty. @param prefix the part of the names before `address1` */
export function addressLine(of: Stored, prefix: 'supply' | 'billing'): string {
  const members = [1, 2, 3, 4].map((line) => `${prefix}_address${line}`);
  return [...members, `${prefix}_postcode`].flatMap((member) => textOf(of, member) ?? []).join(', ');
}

/** The postcode and the last line of the first address, in which French addresses have the town. */
export function townOf(data: Stored): string {
  const [first] = rowsOf(data, 'supply_addresses');
  const [of, prefix] = first === undefined ? ([data, 'billing'] as const) : ([first, 'supply'] as const);
  const lines = [4, 3, 2].flatMap((line) => textOf(of, `${prefix}_address${line}`) ?? []);
  return [textOf(of, `${prefix}_postcode`), lines[0]].filter(Boolean).join(' ');
}

function addressPart(address: Stored, place: ListPlace): Html {
  const line = addressLine(address, 'supply') || t('Empty address');
  const points = rowsOf(address, 'supply_points');
  const { shown, links } = partOfList(`points at ${line}`, points, place, ADDRESSES_SHOWN);
  const since = textOf(address, 'customer_at_supply_address_from_date');
  return html`<h2>${line}</h2>
    ${since !== undefined && html`<p class="fine">${t('Customer here since {day}', { day: shownValue(since) })}</p>`}
    ${shown.map((point) => pointPart(point, place))} ${links}`;
}

/** Whether the instruction that a preference names is not in force. */
const isUnresolved = (preference: Stored) => preference['unresolved'] === true;
const unresolved = (): Column<Stored> => [t('Instruction'), (one) => isUnresolved(one) && badge(t('unknown'), 'warn')];

function pointPart(point: Stored, place: ListPlace): Html {
  const status = textOf(point, 'switch_status') ?? '';
  const identifier = textOf(point, 'identifier') ?? '';
  const preferences = rowsOf(point, 'payment_preferences');
  const isHeld = status === 'PENDING' && textOf(point, 'held_since') !== undefined && !textOf(point, 'released_at');
  return html`<div class="card point">
    <p>
      ${code(identifier)} ${textOf(point, 'supply_type')} ${switchBadge(status)}
      ${isHeld && badge(t('on two accounts'), 'warn')}
    </p>
    ${pairs([
      [t('Supply from'), shownValue(textOf(point, 'supply_start_date'))],
      [t('Billed every'), monthsOf(textOf(point, 'billing_frequency'))],
      [t('Consents'), consentsOf(point)],
      [t('Switch on hold since'), isHeld && moment(textOf(point, 'held_since'))],
      [t('From the network operator'), lookupPart(below(point, 'look_up'))],
    ])}
    ${listOf(
      t('Agreements of {point}', { point: identifier }),
      rowsOf(point, 'agreements'),
      ['tariff_code', 'agreed_at', 'effective_from', 'effective_to', [t('Add-ons'), addonsOf]],
      place,
    )}
    ${listOf(
      t('Payment schedules of {point}', { point: identifier }),
      rowsOf(point, 'payment_schedules'),
      ['amount', 'means', 'frequency', 'day_of_month', 'start_date'],
      place,
    )}
    ${listOf(
      t('Payment preferences of {point}', { point: identifier }),
      preferences,
      ['type', 'vendor_name', 'vendor_reference', ...(preferences.some(isUnresolved) ? [unresolved()] : [])],
      place,
    )}
  </div>`;
}

function monthsOf(number: string | undefined): string | undefined {
  return number === '1' ? t('month') : number && t('{number} months', { number });
}

function consentsOf(point: Stored): string {
  const consents = below(point, 'consent_data');
  const names = Object.keys(consents ?? {});
  return names
    .map((name) => `${labelOf(name.toLowerCase())} ${textOf(consents, name) === 'true' ? t('yes') : t('no')}`)
    .join(', ');
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
  return badge(translated(status), tones.get(status) ?? 'plain');
}

function lookupPart(lookup: Stored | undefined): Part {
  if (lookup === undefined) return t('not requested');
  const facts = below(lookup, 'facts');
  const known = Object.keys(facts ?? {}).map((name) => `${labelOf(name)}: ${textOf(facts, name) ?? '–'}`);
  const isAuthorised = textOf(lookup, 'with_customer_authorisation') === 'true';
  return html`${known.join(', ')}
    <small>
      ${textOf(lookup, 'source')},
      ${moment(textOf(lookup, 'looked_up_at'))}${isAuthorised && t(', with customer authorization')}
    </small>`;
}
