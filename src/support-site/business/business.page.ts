import { readBusiness, listBusinesses, type ListedBusiness } from '../../businesses/index.ts';
import { refuse } from '../../vocabulary/refusals.ts';
import { below, readStored, rowsOf, shownValue, textOf, type Stored } from '../account/stored.ts';
import { code, link, moment } from '../frame/cells.ts';
import { auditPart, nextPage, nothing, pairs, table } from '../frame/parts.ts';
import { revealForm, supplierFilter } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import { accepted, handler, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, businessPath, supplierPath, BUSINESSES } from '../frame/paths.ts';
import { labelOf, readable } from '../frame/readable.ts';
import { listPages, type List } from '../frame/list.ts';

const PATH = '/businesses/:id';
const INTEGER_MAX = 2_147_483_647;
const CONTRACTS_SHOWN = 20;
const ACCOUNTS_SHOWN = 50;

/** A business by its service number, with its contracts and links to its accounts. */
export const businessPages = [
  page(PATH, (request) => showBusiness(request, false)),
  handler(`${PATH}/reveal`, 'contact-data.reveal', (request) => showBusiness(request, true)),
];

/** The number of the business, and the first rows of its two lists. */
interface Window {
  number: number;
  contractsFrom: number;
  accountsAfter: string;
}

async function showBusiness(request: PageRequest, isRevealed: boolean): Promise<PageAnswer> {
  const { database, actor, params, query, may } = request;
  const number = numberIn(params['id']) ?? accepted(refuse('business_not_found'));
  const contractsFrom = numberIn(query.get('contracts_from')) ?? 0;
  const accountsAfter = (query.get('accounts_after') ?? '').replaceAll('\0', '');
  const window = { number, contractsFrom, accountsAfter };
  const isOpen = may('contact-data.see');
  // One more row than is shown reveals whether there is a next page.
  const limits = {
    contractsAfter: contractsFrom - 1,
    contractsMax: CONTRACTS_SHOWN + 1,
    accountsAfter,
    accountsMax: ACCOUNTS_SHOWN + 1,
  };
  const key = { serviceBusinessId: number };
  const view = readStored(accepted(await readBusiness(database, actor, key, { isOpen, isRevealed }, limits)));
  const business = below(view, 'business');
  const external = textOf(view, 'external_business_identifier') ?? '';
  const subject = `businesses/${textOf(view, 'import_supplier_code')}/${external}`;
  const body = html`${headPart(view)}
  ${detailsPart(business, !isOpen && !isRevealed && revealForm(request, businessPath(String(number)), t('Show contacts and details')))}
  ${contractsPart(rowsOf(business, 'business_contracts'), window)} ${accountsPart(view, window)}
  ${await auditPart(request, t('Audit of this business'), subject)}`;
  return { title: textOf(business, 'company_name') ?? external, body };
}

function numberIn(text: string | null | undefined): number | undefined {
  return /^\d{1,10}$/.test(text ?? '') && Number(text) <= INTEGER_MAX ? Number(text) : undefined;
}

function headPart(view: Stored): Html {
  const business = below(view, 'business');
  return html`<div class="card">
    ${pairs([
      [t('Service business ID'), textOf(view, 'service_business_id')],
      [t('External business identifier'), textOf(view, 'external_business_identifier')],
      [
        t('Import supplier'),
        link(supplierPath(textOf(view, 'import_supplier_code') ?? ''), textOf(view, 'import_supplier_code')),
      ],
      [t('Business type'), textOf(business, 'business_type')],
      [t('SIRET'), textOf(business, 'siret')],
      [t('Created'), moment(textOf(view, 'created_at'))],
    ])}
  </div>`;
}

/** Keys that the supplier has chosen; the values may be personal data. @param reveal the form that shows hidden ones */
function detailsPart(business: Stored | undefined, reveal: Part): Part {
  const details = rowsOf(business, 'details');
  if (details.length === 0) return '';
  return html`<section>
    <h2>${t('Contacts and details')}</h2>
    ${pairs(details.map((one) => [labelOf(textOf(one, 'key') ?? ''), textOf(one, 'value')] as const))} ${reveal}
  </section>`;
}

function contractsPart(contracts: readonly Stored[], window: Window): Html {
  const next = pathOf({ ...window, contractsFrom: window.contractsFrom + CONTRACTS_SHOWN });
  return html`<section>
    <h2>${t('Contracts')}</h2>
    ${contracts.length === 0 && nothing(t('The business has no contracts.'))}
    ${contracts.slice(0, CONTRACTS_SHOWN).map(contractPart)}
    ${nextPage(contracts.length > CONTRACTS_SHOWN && next, t('More contracts'))}
  </section>`;
}

function contractPart(contract: Stored): Html {
  const signed = textOf(contract, 'signed_at_date');
  return html`<details>
    <summary>
      ${t('{identifier} from {day}', { identifier: code(textOf(contract, 'identifier')), day: shownValue(textOf(contract, 'valid_from_date')) })}${signed && t(', signed {day}', { day: shownValue(signed) })}
    </summary>
    ${rowsOf(contract, 'versions').map(
      (version) =>
        html`<h3>${t('Version of {day}', { day: shownValue(textOf(version, 'applicable_at_date')) })}</h3>
          ${readable(version['terms'])}`,
    )}
  </details>`;
}

function accountsPart(view: Stored, window: Window): Html {
  const accounts = rowsOf(view, 'accounts');
  const shown = accounts.slice(0, ACCOUNTS_SHOWN);
  const supplier = textOf(view, 'import_supplier_code') ?? '';
  const externalOf = (account: Stored | undefined) => textOf(account, 'external_account_number') ?? '';
  const next = pathOf({ ...window, accountsAfter: externalOf(shown.at(-1)) });
  return html`<section>
    <h2>${t('Accounts')}</h2>
    ${table(
      t('Accounts'),
      shown,
      [
        [t('External account number'), (one) => link(accountPath(supplier, externalOf(one)), code(externalOf(one)))],
        [t('Service account number'), (one) => code(textOf(one, 'service_account_number'))],
        [t('Contract'), (one) => code(textOf(one, 'business_contract_identifier'))],
        [t('Created'), (one) => moment(textOf(one, 'account_created_at'))],
      ],
      t('The business has no accounts.'),
    )}
    ${nextPage(accounts.length > shown.length && next, t('More accounts'))}
  </section>`;
}

function pathOf({ number, contractsFrom, accountsAfter }: Window): string {
  const from = contractsFrom === 0 ? '' : String(contractsFrom);
  return addressOf(businessPath(String(number)), { contracts_from: from, accounts_after: accountsAfter });
}

/** The list of businesses, and its file. */
export const businessListPages = listPages({ path: BUSINESSES, title: () => t('Businesses'), list: businessesOf });

/** Sorted by the keys of businesses: supplier and identifier, or all of them by their numbers, the newest first. */
async function businessesOf(request: PageRequest): Promise<List<ListedBusiness>> {
  const { database, actor, query, may } = request;
  const importSupplier = query.get('import_supplier') || undefined;
  const isOpen = may('contact-data.see');
  return {
    name: 'businesses',
    path: BUSINESSES,
    label: t('Businesses'),
    filters: [await supplierFilter(request)],
    sorts: ['external_business_identifier', ...(importSupplier === undefined ? ['-service_business_id'] : [])],
    columns: {
      external_business_identifier: [
        t('Identifier'),
        (one) => link(businessPath(String(one.service_business_id)), code(one.external_business_identifier)),
        'row',
      ],
      company_name: [t('Name')],
      import_supplier: [t('Import supplier')],
      business_type: [t('Type')],
      siret: [t('SIRET'), (one) => code(one.siret)],
      service_business_id: [t('Service number'), undefined, 'number'],
      accounts: [t('Accounts'), undefined, 'number'],
      created_at: [t('Created'), (one) => moment(one.created_at)],
    },
    read: async (window) => accepted(await listBusinesses(database, actor, { importSupplier, isOpen, ...window })),
    empty: t('No business matches these filters.'),
  };
}
