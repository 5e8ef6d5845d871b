import type { Claim } from '../../switching/index.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { accountPath, businessPath, claimPath, FEED } from '../frame/paths.ts';
import type { EventPage } from '../../events/index.ts';
import { timeline } from '../events/event-parts.ts';
import { badge, code, link, moment } from '../frame/cells.ts';
import { nothing, pairs } from '../frame/parts.ts';
import { below, listOf, pagedTable, rowsOf, textOf, type ListPlace, type Stored } from './stored.ts';
import { addressLine, switchBadge } from './account-supply.ts';
import { adviceOnFault, FORWARD_ADVICE } from '../frame/site-advice.rules.ts';

/** The numbers, states and relations of an account. */
export function headPart(view: Stored): Html {
  const account = below(view, 'account');
  const process = below(view, 'import_process');
  const isSkipped = textOf(process, 'skipped_at') !== undefined;
  return html`<div class="card">
    <p>
      ${account === undefined ? badge('not created', 'warn') : badge('created', 'good')}
      ${isSkipped && badge('skipped', 'warn')} ${below(process, 'refusal') !== undefined && badge('rejected', 'bad')}
      ${account !== undefined && html`switch ${switchBadge(textOf(account, 'switch_status') ?? '')}`}
    </p>
    ${pairs([
      ['Service account number', textOf(account, 'service_account_number')],
      ['External account number', textOf(view, 'external_account_number')],
      ['Import supplier', textOf(view, 'import_supplier')],
      ['Account type', textOf(account, 'account_type')],
      ['Operations team', textOf(account, 'operations_team')],
      ['Business', businessLink(account)],
      ['Balance', textOf(account, 'balance') && html`<strong>${textOf(account, 'balance')} €</strong>`],
      ['Last billed to', textOf(account, 'last_billed_to_date')],
      ['Wave', waveOf(process)],
      ['Switches held until', moment(textOf(account, 'switch_not_before'))],
      ['Staged', moment(textOf(process, 'staged_at'))],
      ['Created', moment(textOf(account, 'created_at'))],
      ...rowsOf(process, 'withdrawn_accounts').map(
        (one) => [`Withdrawn ${textOf(one, 'service_account_number')}`, withdrawnSentence(one)] as const,
      ),
      ['Skipped', isSkipped && html`${moment(textOf(process, 'skipped_at'))} ${textOf(process, 'skip_reason')}`],
    ])}
  </div>`;
}

function withdrawnSentence(one: Stored): Html {
  return html`${moment(textOf(one, 'withdrawn_at'))}, by ${textOf(one, 'withdrawn_by')}: ${textOf(one, 'reason')}`;
}

/** The wave that the account is a member of. */
function waveOf(process: Stored | undefined): Part {
  const wave = below(process, 'wave');
  return wave && html`${textOf(wave, 'name')} <small>${textOf(wave, 'status')}</small>`;
}

/** The business that the account belongs to, by the contract that it names. */
function businessLink(account: Stored | undefined): Part {
  const business = below(account, 'business');
  if (business === undefined) return undefined;
  const contract = textOf(account, 'business_contract_identifier');
  const path = businessPath(textOf(business, 'service_business_id') ?? '');
  return html`${link(path, textOf(business, 'company_name'))}
  ${contract !== undefined && html`<small>contract ${code(contract)}</small>`}`;
}

/** The rejection of the last creation and the warnings, each with advice. */
export function faultsPart(view: Stored, place: ListPlace): Part {
  const refusal = below(below(view, 'import_process'), 'refusal');
  const warnings = rowsOf(view, 'warnings');
  const isWarning = new Set(warnings);
  const faults = [...(refusal === undefined ? [] : [refusal, ...rowsOf(refusal, 'violations')]), ...warnings];
  if (faults.length === 0) return '';
  return html`<section>
    <h2 id="faults">Rejections and warnings</h2>
    ${pagedTable(
      'faults',
      'Rejections and warnings',
      faults,
      [
        ['Code', (fault) => badge(codeOf(fault), isWarning.has(fault) ? 'warn' : 'bad')],
        ['Field', (fault) => code(placeOf(fault))],
        ['Detail', (fault) => textOf(fault, 'detail') ?? textOf(fault, 'fault')],
        [
          'What to do',
          (fault) => adviceOnFault(codeOf(fault)) ?? (isWarning.has(fault) ? '' : FORWARD_ADVICE),
          'advice',
        ],
      ],
      place,
    )}
  </section>`;
}

/** All other pages use this name for an account that the database rejects. */
function codeOf(fault: Stored): string {
  const fromApi = textOf(fault, 'code') ?? '';
  return fromApi === 'creation_failed' ? 'quarantined' : fromApi;
}

function placeOf(fault: Stored): string | undefined {
  const path = fault['path'];
  return Array.isArray(path) ? path.join('.') : textOf(fault, 'attr');
}

/** Customers of the account. @param reveal the form that shows hidden contact data */
export function peoplePart(account: Stored, reveal: Part, place: ListPlace): Html {
  const people = rowsOf(account, 'customers');
  return html`<section>
    <h2 id="people">People</h2>
    ${people.length === 0 && nothing('The account has no customers.')}
    ${listOf(
      'Customers',
      people,
      [
        ['name', customerName],
        'email',
        ['mobile', (one) => textOf(one, 'mobile_e164') ?? textOf(one, 'mobile')],
        ['landline', (one) => textOf(one, 'landline_e164') ?? textOf(one, 'landline')],
        ['date of birth', (one) => textOf(one, 'date_of_birth')],
        'deceased',
        ['opted into', optedInto],
      ],
      place,
    )}
    ${reveal}
    ${pairs([
      ['Billing address', addressLine(account, 'billing')],
      [
        'Sales channel',
        [textOf(account, 'sales_channel'), textOf(account, 'sales_subchannel')].filter(Boolean).join(', '),
      ],
      ['Unknown occupier', textOf(account, 'unknown_occupier') === 'true' && 'yes'],
      ['Business type', textOf(account, 'business_type')],
      ['SIRET', textOf(account, 'siret')],
    ])}
    ${listOf('Details of the business', rowsOf(account, 'business_details'), ['key', 'value'], place)}
    ${listOf('Campaigns', rowsOf(account, 'campaigns'), ['slug', 'campaign_note'], place)}
    ${listOf('Metadata', rowsOf(account, 'metadata'), ['key', 'value'], place)}
  </section>`;
}

/** The title and names of a customer. */
export function customerName(customer: Stored): string {
  return ['title', 'given_name', 'family_name'].flatMap((part) => textOf(customer, part) ?? []).join(' ');
}

function optedInto(customer: Stored): string {
  return ['updates', 'sms', 'offers', 'recommended']
    .filter((what) => textOf(customer, `opted_into_${what}`) === 'true')
    .join(', ');
}

/** The events of the account, newest first. */
export function accountEventsPart({ events, next, scannedBackTo }: EventPage): Html {
  const isCut = next !== undefined && scannedBackTo !== undefined;
  const empty = isCut
    ? 'The newest events of the import supplier are not about this account.'
    : 'No events are stored.';
  return html`<section>
    <h2 id="events">Events</h2>
    ${events.length > 0 ? timeline(events) : nothing(empty)}
    ${
      isCut &&
      html`<p>Events since ${moment(scannedBackTo)}. ${link(`${FEED}?${next.toString()}`, 'Show earlier events')}</p>`
    }
  </section>`;
}

/** Links from an account to the claims that it is part of. */
export function claimLinks(claims: readonly Claim[], importSupplier: string, externalAccountNumber: string): Part {
  if (claims.length === 0) return '';
  return html`<section>
    <h2 id="claims">Supply points on two accounts</h2>
    <ul>
      ${claims.map(({ identifier, held, other: second }) => {
        const isOwn = held.importSupplier === importSupplier && held.externalAccountNumber === externalAccountNumber;
        const other = isOwn ? second : held;
        return html`<li>
          ${code(identifier)}
          ${other === null ? 'is no longer on the other account' : html`is also on ${accountLink(other)}`}${
            isOwn ? '; its switch is on hold here.' : ', where its switch is on hold.'
          }
          ${link(claimPath(held.importSupplier, held.externalAccountNumber), 'Compare and decide')}
        </li>`;
      })}
    </ul>
  </section>`;
}

/** An account, by its supplier and external number. */
export function accountLink({ importSupplier, externalAccountNumber }: Claim['held']): Html {
  const name = code(`${importSupplier}/${externalAccountNumber}`);
  return link(accountPath(importSupplier, externalAccountNumber), name);
}
