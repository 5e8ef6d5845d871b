import { PERSONAL_DATA, accountPath, receiptPath } from '../frame/paths.ts';
import type { KeptReceipt } from '../../personal-data/index.ts';
import type { ErasurePreview, ErasureReceipt } from '../../personal-data/erase/erasure.schema.ts';
import { count, moment, nothing, pairs, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { optionsOf } from '../frame/list-parts.ts';
import type { PageRequest } from '../frame/page.ts';

/** The form that selects a person. It is sent by POST, so that no URL contains the account number. */
export function personForm({ formToken, query, may }: PageRequest, codes: readonly string[]): Html {
  return html`<h2>Erase or export the data of a person</h2>
    <form class="narrow" method="post" action="${PERSONAL_DATA}/erasures/preview">
      ${formToken}<label for="person-supplier">Import supplier</label>
      <select id="person-supplier" name="import_supplier" required>
        <option value="">–</option>
        ${optionsOf(codes, query.get('import_supplier'))}
      </select>
      <label for="person-number">External account number</label>
      <input
        id="person-number"
        name="external_account_number"
        value="${query.get('external_account_number')}"
        maxlength="128"
        required
      />
      <label for="person-place">Position of the customer (leave empty for the whole account)</label>
      <input id="person-place" name="customer" inputmode="numeric" pattern="[0-9]*" maxlength="6" />
      <p class="fine">0 is the first customer on the page of the account, 1 is the second.</p>
      <p>
        <button>Preview the erasure</button>
        ${may('person.export') && html`<button class="quiet" formaction="${PERSONAL_DATA}/exports">Export all stored data</button>`}
      </p>
      <p class="fine">Exports and erasures are audited.</p>
    </form>`;
}

/** The preview of an erasure, and the form that confirms it by the number. */
export function previewBody(preview: ErasurePreview, { formToken }: PageRequest): Html {
  const {
    import_supplier: supplier,
    external_account_number: external,
    customer,
    customers,
    is_created: isCreated,
  } = preview;
  const rows = preview.tables.reduce((sum, one) => sum + one.rows, 0);
  return html`<p>
      The account
      <a href="${accountPath(supplier, external)}"><code>${supplier}/${external}</code></a
      >${
        customer === null
          ? html`, ${customers === 1 ? 'its only customer' : `all ${count(customers)} customers`}.`
          : html`, customer ${customer} of ${count(customers)}.`
      }
      Nothing has been erased yet.
    </p>
    ${!isCreated && html`<p class="flash flash-wait">The account was never created: its staged data is deleted entirely.</p>`}
    ${
      preview.tables.length === 0
        ? nothing('No data of this person is stored.')
        : html`<h2>To be erased: ${count(rows)} rows</h2>
            ${erasedTable('Data to be erased', preview.tables)}
            <p class="fine">
              Texts about the account in the audit are erased too and counted in the receipt. Amounts, dates, keys, and
              references of mandates and cards are kept.
            </p>`
    }
    <h2>Erase</h2>
    <form class="narrow" method="post" action="${PERSONAL_DATA}/erasures">
      ${formToken}<input type="hidden" name="import_supplier" value="${supplier}" />
      <input type="hidden" name="external_account_number" value="${external}" />
      <input type="hidden" name="customer" value="${customer}" />
      <label for="erase-reason">Reason, for example the date of the request</label>
      <input id="erase-reason" name="reason" maxlength="1000" required />
      <label for="erase-typed">Type the external account number to confirm</label>
      <input id="erase-typed" name="typed" maxlength="128" autocomplete="off" required />
      <p class="fine">An erasure cannot be undone.</p>
      <button class="danger">Erase</button>
    </form>`;
}

function erasedTable(label: string, tables: ErasureReceipt['tables']): Html {
  const rows = tables.map(
    ({ table: name, rows: number, columns }) =>
      html`<tr>
        <th scope="row"><code>${name}</code></th>
        <td class="number">${count(number)}</td>
        <td>${columns.length === 0 ? 'whole rows' : columns.map((column) => html`<code>${column}</code> `)}</td>
      </tr>`,
  );
  return table(label, ['Table', 'Rows', 'Columns'], rows);
}

/** The last erasures, without names. */
export function receiptsPart(receipts: readonly KeptReceipt[]): Html {
  const rows = receipts.map(
    ({ id, by, receipt }) =>
      html`<tr>
        <td>${moment(receipt.erased_at)}</td>
        <td><code>${receipt.import_supplier}/${receipt.external_account_number}</code></td>
        <td>${receipt.customer === null ? 'all' : receipt.customer}</td>
        <td>${by}</td>
        <td><a href="${receiptPath(id)}" aria-label="Receipt of ${receipt.erasure_id}">Receipt</a></td>
      </tr>`,
  );
  return html`<h2>Last erasures</h2>
    ${rows.length === 0 ? nothing('There are no erasures.') : table('Last erasures', ['Erased', 'Account', 'Customer', 'Erased by', ''], rows)}`;
}

/** A printable receipt. */
export function receiptBody({ by, reason, receipt }: KeptReceipt): Html {
  return html`<p>The erased data by table.</p>
    ${pairs([
      ['Receipt ID', html`<code>${receipt.erasure_id}</code>`],
      ['Account', html`<code>${receipt.import_supplier}/${receipt.external_account_number}</code>`],
      ['Customer', receipt.customer === null ? 'all customers' : String(receipt.customer)],
      ['Erased', html`${moment(receipt.erased_at)}`],
      ['Erased by', by],
      ['Reason', reason],
    ])}
    ${receipt.tables.length === 0 ? nothing('No data was left to erase.') : erasedTable('Erased data', receipt.tables)}
    <p class="fine">SHA-256 of the receipt as the API returns it: <code>${receipt.sha256}</code></p>
    <p class="row"><a href="${PERSONAL_DATA}">Back to personal data</a></p>`;
}
