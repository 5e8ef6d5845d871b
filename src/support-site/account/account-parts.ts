import { remedyOf } from '../../vocabulary/remedies.ts';
import { listOf, pairs, switchBadge } from './account-supply.ts';
import { badge, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { below, MASK, rowsOf, textOf, type Stored } from './stored.ts';

/** What an account is, in one look: its numbers, its states and where it belongs. */
export function headPart(view: Stored): Html {
  const account = below(view, 'account');
  const process = below(view, 'import_process');
  const isSkipped = textOf(process, 'skipped_at') !== undefined;
  return html`<div class="card">
    <p>
      ${account === undefined ? badge('not created', 'warn') : badge('created', 'good')}
      ${isSkipped && badge('marked to skip', 'warn')}
      ${below(process, 'refusal') !== undefined && badge('refused', 'bad')}
      ${account !== undefined && html`switch ${switchBadge(textOf(account, 'switch_status') ?? '')}`}
    </p>
    ${pairs([
      ['Service account number', textOf(account, 'service_account_number')],
      ['External number', textOf(view, 'external_account_number')],
      ['Import supplier', textOf(view, 'import_supplier')],
      ['Kind', textOf(account, 'account_type')],
      ['Operations team', textOf(account, 'operations_team')],
      ['Balance', textOf(account, 'balance') && html`<strong>${textOf(account, 'balance')} €</strong>`],
      ['Last billed to', textOf(account, 'last_billed_to_date')],
      ['Staged', moment(textOf(process, 'staged_at'))],
      ['Created', moment(textOf(account, 'created_at'))],
      ['Marked to skip', isSkipped && html`${moment(textOf(process, 'skipped_at'))} ${textOf(process, 'skip_reason')}`],
    ])}
  </div>`;
}

/** Why the last creation was refused, and what stands out, each with what to do. */
export function faultsPart(view: Stored): Html {
  const refusal = below(below(view, 'import_process'), 'refusal');
  const warnings = rowsOf(view, 'warnings');
  const faults = [...(refusal === undefined ? [] : [refusal, ...rowsOf(refusal, 'violations')]), ...warnings];
  if (faults.length === 0) return html``;
  const rows = faults.map((fault) => {
    const code = textOf(fault, 'code') ?? '';
    return html`<tr>
      <td>${badge(code, warnings.includes(fault) ? 'warn' : 'bad')}</td>
      <td><code>${placeOf(fault)}</code></td>
      <td>${textOf(fault, 'detail')}</td>
      <td class="advice">${remedyOf(code)}</td>
    </tr>`;
  });
  return html`<section>
    <h2>Refusals and warnings</h2>
    ${table('Refusals and warnings', ['Code', 'Place', 'Detail', 'What to do'], rows)}
  </section>`;
}

function placeOf(fault: Stored): string | undefined {
  const path = fault['path'];
  return Array.isArray(path) ? path.join('.') : textOf(fault, 'attr');
}

/** People of the account. `reveal` is what stands where contact data is not shown. */
export function peoplePart(account: Stored, reveal: Part): Html {
  const people = rowsOf(account, 'customers').map(
    (one) =>
      html`<tr>
        <td>${['title', 'given_name', 'family_name'].flatMap((part) => textOf(one, part) ?? []).join(' ')}</td>
        <td>${textOf(one, 'email')}</td>
        <td>${textOf(one, 'mobile_e164') ?? textOf(one, 'mobile')}</td>
        <td>${textOf(one, 'landline_e164') ?? textOf(one, 'landline')}</td>
        <td>${textOf(one, 'date_of_birth')}</td>
        <td>${textOf(one, 'deceased')}</td>
      </tr>`,
  );
  const heads = ['Name', 'E-mail', 'Mobile', 'Landline', 'Born', 'Deceased'];
  const billing = ['billing_address1', 'billing_address2', 'billing_address3', 'billing_address4', 'billing_postcode'];
  return html`<section>
    <h2>People</h2>
    ${people.length === 0 ? nothing('Nobody is named.') : table('People', heads, people)} ${reveal}
    ${pairs([
      ['Billing address', billing.flatMap((line) => textOf(account, line) ?? []).join(', ')],
      [
        'Sales channel',
        [textOf(account, 'sales_channel'), textOf(account, 'sales_subchannel')].filter(Boolean).join(', '),
      ],
      ['Kind of business', textOf(account, 'business_type')],
      ['SIRET', textOf(account, 'siret')],
      ['Business contract', textOf(account, 'business_contract_identifier')],
      ['Business', businessLink(below(account, 'business'))],
    ])}
    ${listOf('Details of the business', rowsOf(account, 'business_details'), ['key', 'value'])}
    ${listOf('Campaigns', rowsOf(account, 'campaigns'), ['slug', 'campaign_note'])}
    ${listOf('Metadata', rowsOf(account, 'metadata'), ['key', 'value'])}
  </section>`;
}

function businessLink(business: Stored | undefined): Part {
  const number = textOf(business, 'service_business_id');
  return (
    number !== undefined &&
    html`<a href="/businesses/${number}">${textOf(business, 'external_business_identifier')}</a>`
  );
}

/** Contracts, payments, transactions, statements and their documents. */
export function moneyPart(account: Stored): Html {
  const instructions = [
    ...rowsOf(account, 'supply_addresses').flatMap((address) =>
      rowsOf(address, 'supply_points').flatMap((point) =>
        rowsOf(point, 'payment_instructions').map((one) => ({ ...one, point: point['identifier'] ?? null })),
      ),
    ),
    ...rowsOf(account, 'other_payment_instructions'),
  ];
  const cheques = rowsOf(account, 'ledgers').flatMap((ledger) => rowsOf(ledger, 'energy_cheques'));
  return html`<section>
    <h2>Contracts</h2>
    ${rowsOf(account, 'account_contracts').length === 0 && nothing('No contract of its own.')}
    ${rowsOf(account, 'account_contracts').map(contractPart)}
    <h2>Payment</h2>
    ${listOf('Instructions', instructions, [
      'point',
      'vendor',
      'type',
      'reference',
      'valid_from',
      'verified_at',
      'replaced_at',
    ])}
    ${listOf('Verifications', rowsOf(account, 'payment_verifications'), [
      'requested_at',
      'vendor',
      'type',
      'reference',
      'outcome',
      'reason',
      'settled_at',
    ])}
    ${listOf('Energy cheques', cheques, ['number', 'amount', 'valid_to', 'source', 'status'])}
    <h2>Transactions</h2>
    ${rowsOf(account, 'transactions').length === 0 && nothing('No transaction.')}
    ${listOf('Transactions', rowsOf(account, 'transactions'), [
      'transaction_date',
      'transaction_id',
      'type',
      'amount',
      'reason',
      'display_note',
      'reference',
    ])}
    <h2>Statements</h2>
    ${rowsOf(account, 'statements').length === 0 && nothing('No statement.')}
    ${listOf('Statements', rowsOf(account, 'statements'), [
      'statement_id',
      'bill_period_from_date',
      'bill_period_to_date',
      'gross_amount',
      'location',
    ])}
  </section>`;
}

function contractPart(contract: Stored): Html {
  return html`<h3>Contract ${textOf(contract, 'identifier')}</h3>
    ${pairs([
      ['Valid from', textOf(contract, 'valid_from_date')],
      ['Signed', textOf(contract, 'signed_at_date')],
    ])}
    ${rowsOf(contract, 'versions').map((version) =>
      listOf(`From ${textOf(version, 'applicable_at_date') ?? ''}`, rowsOf(version, 'terms'), ['term_type', 'content']),
    )}`;
}

/** What was staged, and when; a payload that was replaced is known by its hash only. */
export function stagedPart(view: Stored): Html {
  const process = below(view, 'import_process');
  const revisions = rowsOf(process, 'revisions');
  const rows = revisions.map((one, index) => {
    const isSame = textOf(revisions[index - 1], 'payload_hash') === textOf(one, 'payload_hash');
    return html`<tr>
      <td class="number">${textOf(one, 'revision')}</td>
      <td>${moment(textOf(one, 'staged_at'))}</td>
      <td>${index === 0 ? 'first' : isSame ? 'same content' : 'other content'}</td>
      <td><code>${textOf(one, 'payload_hash')?.slice(0, 16)}</code></td>
    </tr>`;
  });
  const payload = JSON.stringify(process?.['payload'] ?? null, null, 2);
  return html`<section>
    <h2>Staged</h2>
    ${table('Staged revisions', ['Revision', 'Staged', 'Content', 'Hash'], rows)}
    <details>
      <summary>What was staged last</summary>
      ${payload.includes(MASK) && html`<p class="fine">Contact data is not shown.</p>`}
      <pre>${payload}</pre>
    </details>
  </section>`;
}
