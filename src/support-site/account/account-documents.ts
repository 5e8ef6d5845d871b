import { badge, code, moment } from '../frame/cells.ts';
import { form } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import { nothing, pairs } from '../frame/parts.ts';
import type { PageRequest } from '../frame/page.ts';
import { listOf, partOfList, rowsOf, shownValue, textOf, type ListPlace, type Stored } from './stored.ts';
import { euros } from '../frame/readable.ts';
import { runLink } from './account-actions.ts';

/** Notes, statements, contracts and other data of the account. */
export function documentsPart(account: Stored, request: PageRequest, place: ListPlace): Html {
  return html`${notesPart(account, request, place)}
  ${listOf(
    t('Statements of the account'),
    rowsOf(account, 'statements'),
    [
      'statement_id',
      'number',
      'issued_date',
      'bill_period_from_date',
      'bill_period_to_date',
      'gross_amount',
      [t('Document'), (one) => code(textOf(one, 'location') ?? textOf(one, 'statement_path'))],
    ],
    place,
  )}
  ${contractsPart(account, place)}
  ${listOf(t('Details of the business'), rowsOf(account, 'business_details'), ['key', 'value'], place)}
  ${listOf(t('Campaigns'), rowsOf(account, 'campaigns'), ['slug', 'campaign_note'], place)}
  ${listOf(t('Metadata'), rowsOf(account, 'metadata'), ['key', 'value'], place)}`;
}

const isPinned = (note: Stored) => note['is_pinned'] === true;

/** The notes, pinned ones first. */
function notesPart(account: Stored, request: PageRequest, place: ListPlace): Html {
  const notes = rowsOf(account, 'notes');
  const pinnedFirst = [...notes.filter(isPinned), ...notes.filter((note) => !isPinned(note))];
  const { shown, links } = partOfList('notes', pinnedFirst, place);
  return html`<section>
    <h2 id="notes">${t('Notes')}</h2>
    ${shown.length === 0 && nothing(t('There are no notes.'))}
    ${shown.map((note) => notePart(note, request, place.account))} ${links}
  </section>`;
}

function notePart(note: Stored, request: PageRequest, at: string): Html {
  const unpinAt = textOf(note, 'unpin_at');
  const documents = rowsOf(note, 'documents').flatMap(
    (one) => textOf(one, 'location') ?? textOf(one, 'document_path') ?? [],
  );
  return html`<article class="${isPinned(note) ? 'note' : 'note note-plain'}">
    <p>${isPinned(note) && badge(t('pinned'), 'warn')} ${textOf(note, 'body')}</p>
    ${documents.map((location) => html`<p>${code(location)}</p>`)}
    <p class="fine">
      ${moment(textOf(note, 'created_at'))}
      ${unpinAt !== undefined && t('pinned until {time}', { time: moment(unpinAt) })}
    </p>
    ${request.may('note.pin') && pinForm(note, request, at)}
  </article>`;
}

function pinForm(note: Stored, request: PageRequest, at: string): Html {
  const number = textOf(note, 'note') ?? '';
  const verb = isPinned(note) ? 'unpin' : 'pin';
  const until = html`<label class="fine" for="until-${number}"
      >${t('until (local time in France; leave empty for no end)')}</label
    >
    <input type="datetime-local" id="until-${number}" name="until" />`;
  return form(request, {
    action: `${at}/notes/${number}/${verb}`,
    button: t(verb === 'pin' ? 'Pin' : 'Unpin'),
    more: verb === 'pin' && until,
    tone: 'quiet',
    look: 'row',
  });
}

/** Contracts of the account; the page of its business lists those of the business. */
function contractsPart(account: Stored, place: ListPlace): Part {
  const contracts = rowsOf(account, 'account_contracts');
  if (contracts.length === 0) return '';
  return html`<section>
    <h2>${t('Contracts')}</h2>
    ${contracts.map((contract) => contractPart(contract, place))}
  </section>`;
}

function contractPart(contract: Stored, place: ListPlace): Html {
  const identifier = textOf(contract, 'identifier') ?? '';
  return html`<h3>${t('Contract {identifier}', { identifier })}</h3>
    ${pairs([
      [t('Valid from'), shownValue(textOf(contract, 'valid_from_date'))],
      [t('Signed'), shownValue(textOf(contract, 'signed_at_date'))],
    ])}
    ${rowsOf(contract, 'versions').map((version) =>
      listOf(
        t('{identifier} from {day}', { identifier, day: textOf(version, 'applicable_at_date') ?? '' }),
        rowsOf(version, 'terms'),
        ['term_type', 'content'],
        place,
      ),
    )}`;
}

/** Payment instructions with their verifications, and energy cheques. */
export function paymentPart(account: Stored, request: PageRequest, place: ListPlace): Html {
  const instructions = [...instructionsOfPoints(account), ...rowsOf(account, 'other_payment_instructions')];
  const cheques = rowsOf(account, 'ledgers').flatMap((ledger) =>
    rowsOf(ledger, 'energy_cheques').map((one) => ({ ...one, ledger: ledger['ledger_code'] ?? null })),
  );
  const run = (verification: Stored): Part => {
    const id = textOf(verification, 'workflow_id');
    return id === undefined ? '' : runLink(id, request, t('Open'));
  };
  return html`<section>
    <h2>${t('Payment')}</h2>
    ${instructions.length === 0 && nothing(t('The account has no payment instructions.'))}
    ${listOf(
      t('Instructions'),
      instructions,
      ['point', 'vendor', 'type', 'reference', 'valid_from', 'verified_at', 'replaced_at'],
      place,
    )}
    ${listOf(
      t('Verifications'),
      rowsOf(account, 'payment_verifications'),
      ['requested_at', 'vendor', 'type', 'reference', 'outcome', 'reason', 'settled_at', [t('Run'), run]],
      place,
    )}
    ${listOf(t('Energy cheques'), cheques, ['ledger', 'number', [t('Amount as sent'), chequeAmount, 'number'], 'valid_to', 'source', 'status'], place)}
  </section>`;
}

/** The contract states no unit for the amount of an energy cheque. */
const chequeAmount = (cheque: Stored) => textOf(cheque, 'amount');

function instructionsOfPoints(account: Stored): Stored[] {
  return rowsOf(account, 'supply_addresses').flatMap((address) =>
    rowsOf(address, 'supply_points').flatMap((point) =>
      rowsOf(point, 'payment_instructions').map((one) => ({ ...one, point: point['identifier'] ?? null })),
    ),
  );
}

/** The balance and the transactions. */
export function moneyPart(account: Stored, place: ListPlace): Html {
  const transactions = rowsOf(account, 'transactions');
  return html`<section>
    <h2>${t('Balance and transactions')}</h2>
    <p>${t('The balance is {balance}.', { balance: html`<strong>${euros(textOf(account, 'balance'))}</strong>` })}</p>
    ${transactions.length === 0 && nothing(t('The account has no transactions.'))}
    ${listOf(
      t('Transactions'),
      transactions,
      [
        'transaction_date',
        'transaction_id',
        'type',
        'amount',
        'reason',
        'display_note',
        'note',
        'reference',
        'payment_type',
        'product_code',
        [t('Items'), itemsOf],
      ],
      place,
    )}
  </section>`;
}

/** The items of a transaction, folded. */
function itemsOf(transaction: Stored): Part {
  const lines = rowsOf(transaction, 'line_items');
  const taxes = rowsOf(transaction, 'tax_items');
  if (lines.length + taxes.length === 0) return '';
  return html`<details>
    <summary>${t('{lines} lines, {taxes} taxes', { lines: lines.length, taxes: taxes.length })}</summary>
    ${lines.map(
      (one) =>
        html`<p>
          ${t('{from} to {to}: {units} at {price} = {amount}', { from: shownValue(textOf(one, 'start_date')), to: shownValue(textOf(one, 'end_date')), units: textOf(one, 'number_of_units'), price: textOf(one, 'price_per_unit') ?? '–', amount: euros(textOf(one, 'net_amount')) })}
          ${textOf(one, 'rate_band')}
        </p>`,
    )}
    ${taxes.map((one) => html`<p>${textOf(one, 'tax_type')} ${textOf(one, 'rate')}: ${euros(textOf(one, 'amount'))}</p>`)}
  </details>`;
}
