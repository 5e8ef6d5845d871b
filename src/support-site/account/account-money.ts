import { code } from '../frame/cells.ts';
import { nothing, pairs } from '../frame/parts.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { PageRequest } from '../frame/page.ts';
import { listOf, rowsOf, textOf, type ListPlace, type Stored } from './stored.ts';
import { runLink } from './account-actions.ts';

/** Contracts of the account; the page of its business lists those of the business. */
export function contractsPart(account: Stored, place: ListPlace): Html {
  const contracts = rowsOf(account, 'account_contracts');
  return html`<section>
    <h2 id="contracts">Contracts</h2>
    ${contracts.length === 0 && nothing('The account has no contracts.')}
    ${contracts.map((contract) => contractPart(contract, place))}
  </section>`;
}

function contractPart(contract: Stored, place: ListPlace): Html {
  const identifier = textOf(contract, 'identifier') ?? '';
  return html`<h3>Contract ${identifier}</h3>
    ${pairs([
      ['Valid from', textOf(contract, 'valid_from_date')],
      ['Signed', textOf(contract, 'signed_at_date')],
    ])}
    ${rowsOf(contract, 'versions').map((version) =>
      listOf(
        `${identifier} from ${textOf(version, 'applicable_at_date') ?? ''}`,
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
    return id === undefined ? '' : runLink(id, request, 'Open');
  };
  return html`<section>
    <h2 id="payment">Payment</h2>
    ${instructions.length === 0 && nothing('The account has no payment instructions.')}
    ${listOf(
      'Instructions',
      instructions,
      ['point', 'vendor', 'type', 'reference', 'valid_from', 'verified_at', 'replaced_at'],
      place,
    )}
    ${listOf(
      'Verifications',
      rowsOf(account, 'payment_verifications'),
      ['requested_at', 'vendor', 'type', 'reference', 'outcome', 'reason', 'settled_at', ['run', run]],
      place,
    )}
    ${listOf('Energy cheques', cheques, ['ledger', 'number', 'amount', 'valid_to', 'source', 'status'], place)}
  </section>`;
}

function instructionsOfPoints(account: Stored): Stored[] {
  return rowsOf(account, 'supply_addresses').flatMap((address) =>
    rowsOf(address, 'supply_points').flatMap((point) =>
      rowsOf(point, 'payment_instructions').map((one) => ({ ...one, point: point['identifier'] ?? null })),
    ),
  );
}

/** Transactions and statements, with the full location of each document. */
export function moneyPart(account: Stored, place: ListPlace): Html {
  const transactions = rowsOf(account, 'transactions');
  const statements = rowsOf(account, 'statements');
  return html`<section>
    <h2 id="transactions">Balance and transactions</h2>
    <p>The balance is <strong>${textOf(account, 'balance')} €</strong>.</p>
    ${transactions.length === 0 && nothing('The account has no transactions.')}
    ${listOf(
      'Transactions',
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
        ['items', itemsOf],
      ],
      place,
    )}
    <h2 id="statements">Statements</h2>
    ${statements.length === 0 && nothing('The account has no statements.')}
    ${listOf(
      'Statements of the account',
      statements,
      [
        'statement_id',
        'number',
        'issued_date',
        'bill_period_from_date',
        'bill_period_to_date',
        'gross_amount',
        ['document', (one) => code(textOf(one, 'location') ?? textOf(one, 'statement_path'))],
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
    <summary>${lines.length} lines, ${taxes.length} taxes</summary>
    ${lines.map(
      (one) =>
        html`<p>
          ${textOf(one, 'start_date')} to ${textOf(one, 'end_date')}: ${textOf(one, 'number_of_units')} at
          ${textOf(one, 'price_per_unit') ?? '–'} = ${textOf(one, 'net_amount')} € ${textOf(one, 'rate_band')}
        </p>`,
    )}
    ${taxes.map((one) => html`<p>${textOf(one, 'tax_type')} ${textOf(one, 'rate')}: ${textOf(one, 'amount')} €</p>`)}
  </details>`;
}
