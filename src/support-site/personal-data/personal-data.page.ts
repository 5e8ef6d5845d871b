import {
  eraseAudited,
  exportAudited,
  findReceipt,
  findReceipts,
  previewErasure,
  type KeptReceipt,
} from '../../personal-data/index.ts';
import type { ErasurePreview, ErasureReceipt } from '../../personal-data/erase/erasure.schema.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { accountPath, PERSONAL_DATA, receiptPath } from '../frame/paths.ts';
import { code, count, link, moment, nothing, pairs, table } from '../frame/elements.ts';
import { form, reason, supplierChoice } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { accepted, done, existing, handler, invalid, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { retentionPart } from './retention-part.ts';

const RECEIPTS_SHOWN = 50;
/** Receipts of one account that are searched for the new one. */
const NEWEST = 5;
const ERASURES = `${PERSONAL_DATA}/erasures`;
const EXPORTS = `${PERSONAL_DATA}/exports`;

/** Personal data: erasure and export of a person, receipts and retention. */
export const personalDataPages = [
  page(PERSONAL_DATA, showAll, { menu: 'Personal data' }),
  handler(
    `${ERASURES}/preview`,
    'person.erase',
    async (request) => {
      const preview = accepted(await previewErasure(request, personIn(request)));
      return { title: 'Erase a person', body: previewBody(preview, request) };
    },
    true,
  ),
  handler(ERASURES, 'person.erase', erase, true),
  handler(
    EXPORTS,
    'person.export',
    async (request) => {
      const content = accepted(await exportAudited(request, request.actor, personIn(request)));
      return { download: 'person.json', type: 'application/json', content };
    },
    true,
  ),
  page(`${PERSONAL_DATA}/receipts/:receipt`, async ({ database, params }) => {
    const kept = existing(await findReceipt(database, params['receipt'] ?? ''), 'This receipt does not exist.');
    return { title: 'Receipt of an erasure', body: receiptBody(kept) };
  }),
];

async function showAll(request: PageRequest): Promise<PageAnswer> {
  const codes = await supplierCodes(request.suppliers);
  const receipts = await findReceipts(request.database, RECEIPTS_SHOWN);
  const body = html`${request.may('person.erase') && personForm(request, codes)} ${receiptsPart(receipts)}
  ${await retentionPart(request)}`;
  return { title: 'Personal data', body };
}

/** Reads the person from the form, so that no URL contains the account number. */
function personIn({ form: sent }: PageRequest) {
  const field = (name: string) => (sent.get(name) ?? '').trim();
  return {
    import_supplier: field('import_supplier'),
    external_account_number: field('external_account_number'),
    customer: field('customer') || null,
  };
}

async function erase(request: PageRequest): Promise<PageAnswer> {
  const { customer, ...account } = personIn(request);
  if ((request.form.get('typed') ?? '').trim() !== account.external_account_number) {
    invalid(
      'Nothing was erased: the number that you typed is not the number of the account. Go back and type it again.',
    );
  }
  const place = customer === null ? {} : { customer: /^\d{1,6}$/.test(customer) ? Number(customer) : customer };
  const order = { ...account, ...place, reason: request.form.get('reason') ?? '' };
  const receipt = accepted(await eraseAudited(request, request.actor, order));
  const subject = `${receipt.import_supplier}/${receipt.external_account_number}`;
  const kept = await findReceipts(request.database, NEWEST, subject);
  const id = kept.find((one) => one.receipt.erasure_id === receipt.erasure_id)?.id;
  const text = 'The data was erased. Store this receipt outside the database.';
  return done(id === undefined ? PERSONAL_DATA : receiptPath(id), text);
}

/** The form that selects a person. It is sent by POST, so that no URL contains the account number. */
function personForm(request: PageRequest, codes: readonly string[]): Html {
  const { query, may } = request;
  const number = query.get('external_account_number');
  return html`<h2>Erase or export the data of a person</h2>
    ${form(request, {
      action: `${ERASURES}/preview`,
      fields: [
        { ...supplierChoice(codes, query.get('import_supplier'), '–'), required: true },
        {
          label: 'External account number',
          name: 'external_account_number',
          value: number,
          maxlength: 128,
          required: true,
        },
        {
          label: 'Position of the customer (leave empty for the whole account)',
          name: 'customer',
          inputmode: 'numeric',
          pattern: '[0-9]*',
          maxlength: 6,
          hint: '0 is the first customer on the page of the account, 1 is the second.',
        },
      ],
      more: html`<p>
          <button>Preview the erasure</button>
          ${may('person.export') && html`<button class="quiet" formaction="${EXPORTS}">Export all stored data</button>`}
        </p>
        <p class="fine">Exports and erasures are audited.</p>`,
    })}`;
}

/** The preview of an erasure, and the form that confirms it by the number. */
function previewBody(preview: ErasurePreview, request: PageRequest): Html {
  const { import_supplier: supplier, external_account_number: external, customer, customers, tables } = preview;
  const all = customers === 1 ? 'its only customer' : `all ${count(customers)} customers`;
  return html`<p>
      The account ${link(accountPath(supplier, external), code(`${supplier}/${external}`))},
      ${customer === null ? all : `customer ${customer} of ${count(customers)}`}. Nothing has been erased yet.
    </p>
    ${
      !preview.is_created &&
      html`<p class="flash flash-wait">The account was never created: its staged data is deleted entirely.</p>`
    }
    ${
      tables.length === 0
        ? nothing('No data of this person is stored.')
        : html`<h2>To be erased: ${count(tables.reduce((sum, { rows }) => sum + rows, 0))} rows</h2>
            ${erasedTable('Data to be erased', tables)}
            <p class="fine">
              Texts about the account in the audit are erased too and counted in the receipt. Amounts, dates, keys, and
              references of mandates and cards are kept.
            </p>`
    }
    <h2>Erase</h2>
    ${form(request, {
      action: ERASURES,
      hidden: { import_supplier: supplier, external_account_number: external, customer },
      fields: [
        reason(true, 'Reason, for example the date of the request'),
        {
          label: 'Type the external account number to confirm',
          name: 'typed',
          maxlength: 128,
          autocomplete: 'off',
          required: true,
          hint: 'An erasure cannot be undone.',
        },
      ],
      button: 'Erase',
      tone: 'danger',
    })}`;
}

function erasedTable(label: string, tables: ErasureReceipt['tables']): Html {
  return table(label, tables, [
    ['Table', (one) => code(one.table), 'row'],
    ['Rows', ({ rows }) => count(rows), 'number'],
    [
      'Columns',
      ({ columns }) => (columns.length === 0 ? 'whole rows' : columns.map((column) => html`${code(column)} `)),
    ],
  ]);
}

/** The last erasures, without names. */
function receiptsPart(receipts: readonly KeptReceipt[]): Html {
  return html`<h2>Last erasures</h2>
    ${table(
      'Last erasures',
      receipts,
      [
        ['Erased', ({ receipt }) => moment(receipt.erased_at)],
        ['Account', ({ receipt }) => code(`${receipt.import_supplier}/${receipt.external_account_number}`)],
        ['Customer', ({ receipt }) => receipt.customer ?? 'all'],
        ['Erased by', ({ by }) => by],
        [
          '',
          ({ id, receipt }) =>
            html`<a href="${receiptPath(id)}" aria-label="Receipt of ${receipt.erasure_id}">Receipt</a>`,
        ],
      ],
      'There are no erasures.',
    )}`;
}

/** A printable receipt. */
function receiptBody({ by, reason: given, receipt }: KeptReceipt): Html {
  return html`<p>The erased data by table.</p>
    ${pairs([
      ['Receipt ID', code(receipt.erasure_id)],
      ['Account', code(`${receipt.import_supplier}/${receipt.external_account_number}`)],
      ['Customer', receipt.customer ?? 'all customers'],
      ['Erased', moment(receipt.erased_at)],
      ['Erased by', by],
      ['Reason', given],
    ])}
    ${receipt.tables.length === 0 ? nothing('No data was left to erase.') : erasedTable('Erased data', receipt.tables)}
    <p class="fine">SHA-256 of the receipt as the API returns it: ${code(receipt.sha256)}</p>
    <p class="row">${link(PERSONAL_DATA, 'Back to personal data')}</p>`;
}
