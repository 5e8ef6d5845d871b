import { accountPath } from '../frame/paths.ts';
import { findAuditOf } from '../../access/index.ts';
import { readBusiness } from '../../businesses/index.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { auditPart } from '../account/account-actions.ts';
import { below, readStored, rowsOf, textOf, type Stored } from '../account/stored.ts';
import { moment, nothing, pairs, table } from '../frame/elements.ts';
import { readable } from '../frame/readable.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';

const PATH = '/businesses/:id';
const INTEGER_MAX = 2_147_483_647;
const CONTRACTS_SHOWN = 20;
const ACCOUNTS_SHOWN = 50;
const AUDIT_SHOWN = 50;

/** A business by its service number, with its contracts and links to its accounts. */
export function businessPages(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', show: (request) => showBusiness(deps, request, false) },
    {
      method: 'POST',
      path: `${PATH}/reveal`,
      action: 'contact-data.reveal',
      show: (request) => showBusiness(deps, request, true),
    },
  ];
}

/** The first rows of its two lists. */
interface Window {
  contractsFrom: number;
  accountsAfter: string;
}

async function showBusiness({ database }: SiteDeps, request: PageRequest, isRevealed: boolean): Promise<PageAnswer> {
  const number = numberIn(request.params['id'] ?? '');
  if (number === undefined) return refuse('business_not_found');
  const window = {
    contractsFrom: numberIn(request.query.get('contracts_from') ?? '') ?? 0,
    accountsAfter: (request.query.get('accounts_after') ?? '').replaceAll('\0', ''),
  };
  const isOpen = request.may('contact-data.see');
  // One more row than is shown reveals whether there is a next page.
  const json = await readBusiness(
    database,
    request.actor,
    { serviceBusinessId: number },
    { isOpen, isRevealed },
    {
      contractsAfter: window.contractsFrom - 1,
      contractsMax: CONTRACTS_SHOWN + 1,
      accountsAfter: window.accountsAfter,
      accountsMax: ACCOUNTS_SHOWN + 1,
    },
  );
  if (isRefused(json)) return json;
  const view = readStored(json);
  const external = textOf(view, 'external_business_identifier') ?? '';
  const subject = `businesses/${textOf(view, 'import_supplier_code')}/${external}`;
  const audit = await findAuditOf(database.em(), [subject], AUDIT_SHOWN);
  const body = html`${headPart(view)} ${detailsPart(view, isOpen || isRevealed, request)}
  ${contractsPart(rowsOf(below(view, 'business'), 'business_contracts'), number, window)}
  ${accountsPart(view, number, window)} ${auditPart(audit)}`;
  return { title: textOf(below(view, 'business'), 'company_name') ?? external, body };
}

function numberIn(text: string): number | undefined {
  return /^\d{1,10}$/.test(text) && Number(text) <= INTEGER_MAX ? Number(text) : undefined;
}

function headPart(view: Stored): Html {
  const business = below(view, 'business');
  return html`<div class="card">
    ${pairs([
      ['Service business ID', textOf(view, 'service_business_id')],
      ['External business identifier', textOf(view, 'external_business_identifier')],
      ['Import supplier', textOf(view, 'import_supplier_code')],
      ['Business type', textOf(business, 'business_type')],
      ['SIRET', textOf(business, 'siret')],
      ['Created', moment(textOf(view, 'created_at'))],
    ])}
  </div>`;
}

/** Keys that the supplier has chosen; the values may be personal data. */
function detailsPart(view: Stored, isShown: boolean, { formToken }: PageRequest): Part {
  const details = rowsOf(below(view, 'business'), 'details');
  if (details.length === 0) return '';
  const number = textOf(view, 'service_business_id') ?? '';
  return html`<section>
    <h2>Contacts and details</h2>
    ${pairs(details.map((one) => [textOf(one, 'key') ?? '', textOf(one, 'value')] as const))}
    ${
      !isShown &&
      html`<form method="post" action="/businesses/${number}/reveal">
        ${formToken}<button class="quiet">Show contacts and details</button>
        <span class="fine">Each read is audited.</span>
      </form>`
    }
  </section>`;
}

function contractsPart(contracts: readonly Stored[], number: number, { contractsFrom, accountsAfter }: Window): Html {
  const hasMore = contracts.length > CONTRACTS_SHOWN;
  const next = pathOf(number, { contractsFrom: contractsFrom + CONTRACTS_SHOWN, accountsAfter });
  return html`<section>
    <h2>Contracts</h2>
    ${contracts.length === 0 && nothing('The business has no contracts.')}
    ${contracts.slice(0, CONTRACTS_SHOWN).map(contractPart)}
    ${hasMore && html`<p><a class="button quiet" href="${next}">More contracts</a></p>`}
  </section>`;
}

function contractPart(contract: Stored): Html {
  const signed = textOf(contract, 'signed_at_date');
  return html`<details>
    <summary>
      <code>${textOf(contract, 'identifier')}</code> from
      ${textOf(contract, 'valid_from_date')}${signed && `, signed ${signed}`}
    </summary>
    ${rowsOf(contract, 'versions').map(
      (version) =>
        html`<h4>Version of ${textOf(version, 'applicable_at_date')}</h4>
          ${readable(version['terms'])}`,
    )}
  </details>`;
}

function accountsPart(view: Stored, number: number, { contractsFrom }: Window): Html {
  const accounts = rowsOf(view, 'accounts');
  const shown = accounts.slice(0, ACCOUNTS_SHOWN);
  const supplier = textOf(view, 'import_supplier_code') ?? '';
  const rows = shown.map((one) => {
    const external = textOf(one, 'external_account_number') ?? '';
    return html`<tr>
      <td>
        <a href="${accountPath(supplier, external)}"><code>${external}</code></a>
      </td>
      <td><code>${textOf(one, 'service_account_number')}</code></td>
      <td><code>${textOf(one, 'business_contract_identifier')}</code></td>
      <td>${moment(textOf(one, 'account_created_at'))}</td>
    </tr>`;
  });
  const last = textOf(shown.at(-1), 'external_account_number') ?? '';
  const next = pathOf(number, { contractsFrom, accountsAfter: last });
  return html`<section>
    <h2>Accounts</h2>
    ${rows.length === 0 ? nothing('The business has no accounts.') : table('Accounts', ['External account number', 'Service account number', 'Contract', 'Created'], rows)}
    ${accounts.length > shown.length && html`<p><a class="button quiet" href="${next}">More accounts</a></p>`}
  </section>`;
}

function pathOf(number: number, { contractsFrom, accountsAfter }: Window): string {
  const query = new URLSearchParams({
    ...(contractsFrom === 0 ? {} : { contracts_from: String(contractsFrom) }),
    ...(accountsAfter === '' ? {} : { accounts_after: accountsAfter }),
  }).toString();
  return `/businesses/${number}${query === '' ? '' : `?${query}`}`;
}
