import {
  eraseAudited,
  exportAudited,
  findReceipt,
  findReceipts,
  previewErasure,
  readRetention,
  type KeptReceipt,
  type RetentionView,
} from '../../personal-data/index.ts';
import type { ErasurePreview, ErasureReceipt } from '../../personal-data/erase/erasure.schema.ts';
import { supplierCodes } from '../../suppliers/index.ts';
import { PERSONAL_DATA, receiptPath } from '../frame/paths.ts';
import { badge, code, count, fromNow, link, moment, accountLink } from '../frame/cells.ts';
import { nothing, pairs, table, type Column } from '../frame/parts.ts';
import { accountNumber, form, reason, supplierChoice } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { accepted, done, existing, handler, invalid, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import type { RetentionClass } from '../../vocabulary/retention-classes.ts';
import { tableOf } from '../../foundation/table.ts';

const RECEIPTS_SHOWN = 50;
/** Receipts of one account that are searched for the new one. */
const NEWEST = 5;
const ERASURES = `${PERSONAL_DATA}/erasures`;
const EXPORTS = `${PERSONAL_DATA}/exports`;

/** Personal data: erasure and export of a person, receipts and retention. */
export const personalDataPages = [
  page(PERSONAL_DATA, showAll),
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
        { ...accountNumber(number), required: true },
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
      The account ${accountLink(supplier, external)},
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

const NAMES: Readonly<Record<RetentionClass, string>> = {
  created_payload: 'Staged payload of a created account, after the creation',
  never_created: 'Staged account that was never created, after its last change',
  audit: 'Entries of the audit',
  idempotency_key: 'Responses stored for an Idempotency-Key',
};
const STATES = tableOf({
  COMPLETED: 'all due data was deleted',
  NIGHT_OVER: 'it ran out of time and continues the next night',
  CANCELLED: 'it was canceled',
});
/** Classes that other runs delete. */
const BESIDE = [
  ['Uploads of an import job, after its end', 'JOB_PARTS_KEPT_DAYS'],
  ['Results of an import job, after its end', 'JOB_RESULTS_KEPT_DAYS'],
  ['Events', 'EVENTS_KEPT_DAYS'],
] as const;
/** A class that was not completed for this time is late. */
const LATE_MS = 2 * 86_400_000;

/** Retention periods, and the deletions of the last run. */
async function retentionPart(request: PageRequest): Promise<Html> {
  const { now, settings } = request;
  const { classes, last_run: last, ...night } = await readRetention(request);
  const beside = BESIDE.map(([name, setting]) => ({ name, setting, kept_days: settings[setting] }));
  const ofClasses = classes.map((one) => ({ ...one, name: NAMES[one.class] }));
  return html`<h2>Retention</h2>
    <p>
      Due data is deleted every night from ${night.from_hour}:00 to ${night.until_hour}:00 in France.
      ${
        last === null
          ? 'There was no run yet.'
          : html`The last run ended ${fromNow(last.ended_at, now)}: ${STATES.get(last.state) ?? last.state}.`
      }
    </p>
    ${table('Retention', ofClasses, [
      ...KEPT,
      ['Deleted by the last run', (one) => count(one.deleted_by_run), 'number'],
      ['Deleted in total', (one) => count(one.deleted), 'number'],
      ['Last completed', (one) => stateOf(one, now)],
    ])}
    <h3>Deleted hourly</h3>
    ${table('Deleted hourly', beside, KEPT)}
    <p class="fine">
      The periods come from the settings of the support site. Workers delete by their own settings, which should be
      equal.
    </p>`;
}

const KEPT: readonly Column<{ name: string; setting: string; kept_days: number }>[] = [
  ['Data', ({ name, setting }) => html`${name}<br /><small>${code(setting)}</small>`],
  ['Kept for', ({ kept_days: days }) => `${count(days)} days`, 'number'],
];

function stateOf(one: RetentionView['classes'][number], now: Date): Html {
  const isDone = one.completed_at >= one.began_at;
  const isLate = now.getTime() - new Date(one.completed_at).getTime() > LATE_MS;
  return html`${moment(one.completed_at)} ${isLate && badge('late', 'bad')} ${!isDone && badge('incomplete', 'warn')}`;
}
