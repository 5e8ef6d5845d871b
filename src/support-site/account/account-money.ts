import { nothing } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import type { PageRequest } from '../frame/page.ts';
import { euros } from '../frame/readable.ts';
import { listOf, rowsOf, shownValue, textOf, type ListPlace, type Stored } from './stored.ts';
import { runLink } from './account-actions.ts';

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
