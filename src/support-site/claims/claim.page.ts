import { readAccount } from '../../account-view/index.ts';
import { decideClaim, findClaims, type Claim } from '../../switching/index.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { below, readStored, rowsOf, textOf, type Stored } from '../account/stored.ts';
import { addressLine, switchBadge } from '../account/account-supply.ts';
import { count, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { accountPath, claimPath } from '../frame/paths.ts';

const PATH = '/stuck/claims/:supplier/:external';
/** The cause of claims in the list of stuck work. */
const CLAIM_CAUSE = 'supply_point_on_another_account';
const LIST = `/stuck?cause=${CLAIM_CAUSE}`;
/** Accounts that are shown beside each other on one page. */
const COMPARED_MAX = 6;

type Account = NonNullable<Claim['other']>;

/** The accounts that have the same supply point, side by side, and the decision between them. */
export function claimPages(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', show: (request) => showClaim(deps, request) },
    { method: 'POST', path: PATH, action: 'account.change', show: (request) => decide(deps, request) },
  ];
}

async function showClaim(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { supplier = '', external = '' } = request.params;
  const all = await findClaims(deps.database, supplier, external);
  const held = { importSupplier: supplier, externalAccountNumber: external };
  const claims = all.filter((claim) => nameOf(claim.held) === nameOf(held));
  const own = await readView(deps, request, held);
  if (own === undefined) return refuse('not_found', { detail: 'This account does not exist.' });
  const others = distinct(claims.flatMap(({ other }) => other ?? []));
  const views = [{ account: held, view: own }];
  for (const account of others.slice(0, COMPARED_MAX - 1)) {
    const view = await readView(deps, request, account);
    if (view !== undefined) views.push({ account, view });
  }
  const identifiers = [...new Set(claims.map(({ identifier }) => identifier))];
  return {
    title: `Supply points of ${nameOf(held)} on another account`,
    body: html`${identifiers.length === 0 && nothing('No supply point of this account needs a decision.')}
      ${otherDirection(all, held)}
      ${identifiers.map((identifier) => claimPart(identifier, { claims, views, request, held }))}
      ${identifiers.length > 1 && decisionForm({ request, held, count: identifiers.length })}
      <p><a href="${LIST}">All switches that need a decision</a></p>`,
  };
}

/** The account itself may be the reason why points of other accounts are held. */
function otherDirection(all: readonly Claim[], own: Account): Html {
  const others = distinct(all.filter(({ held }) => nameOf(held) !== nameOf(own)).map(({ held }) => held));
  return html`${others.map(
    (one) =>
      html`<p>
        <a href="${claimPath(one.importSupplier, one.externalAccountNumber)}"
          >Decide on the switch on hold of ${nameOf(one)}</a
        >
      </p>`,
  )}`;
}

interface Compared {
  claims: readonly Claim[];
  views: readonly { account: Account; view: Stored }[];
  request: PageRequest;
  held: Account;
}

function claimPart(identifier: string, { claims, views, request, held }: Compared): Html {
  const ofPoint = claims.filter((claim) => claim.identifier === identifier);
  const names = new Set([nameOf(held), ...ofPoint.flatMap(({ other }) => (other ? nameOf(other) : []))]);
  const shown = views.filter(({ account }) => names.has(nameOf(account)));
  const row = (name: string, cell: (view: Stored, point: PlacedPoint | undefined, account: Account) => Part) =>
    html`<tr>
      <th scope="row">${name}</th>
      ${shown.map(({ view, account }) => html`<td>${cell(view, pointIn(view, identifier), account)}</td>`)}
    </tr>`;
  const heads = [
    '',
    ...shown.map(({ account }) => (nameOf(account) === nameOf(held) ? 'Switch on hold' : 'Other account')),
  ];
  return html`<section>
    <h2>Supply point <code>${identifier}</code></h2>
    <p>On hold since ${moment(ofPoint[0]?.since)}.</p>
    ${ofPoint.every(({ other }) => other === null) && html`<p>No other account has this supply point any more.</p>`}
    ${table(`Accounts with supply point ${identifier}`, heads, [
      row('Account', (_view, _point, account) => accountLink(account)),
      row('Created', (view) => moment(textOf(below(view, 'account'), 'created_at'))),
      row('Customers', (view) => customersOf(view)),
      row('Address', (_view, point) => point && addressLine(point.address, 'supply')),
      row('Customer at this address from', (_view, point) =>
        textOf(point?.address, 'customer_at_supply_address_from_date'),
      ),
      row('Supply from', (_view, point) => textOf(point?.point, 'supply_start_date')),
      row('Agreements', (_view, point) => agreementsOf(point?.point)),
      row('Switch', (_view, point) => switchBadge(textOf(point?.point, 'switch_status') ?? '–')),
    ])}
    ${decisionForm({ request, held, identifier })}
  </section>`;
}

interface PlacedPoint {
  address: Stored;
  point: Stored;
}

function pointIn(view: Stored, identifier: string): PlacedPoint | undefined {
  for (const address of rowsOf(below(view, 'account'), 'supply_addresses')) {
    const point = rowsOf(address, 'supply_points').find((one) => textOf(one, 'identifier') === identifier);
    if (point !== undefined) return { address, point };
  }
  return undefined;
}

function accountLink(account: Account): Html {
  const { importSupplier, externalAccountNumber } = account;
  return html`<a href="${accountPath(importSupplier, externalAccountNumber)}"><code>${nameOf(account)}</code></a>`;
}

function customersOf(view: Stored): Part {
  const account = below(view, 'account');
  const people = rowsOf(account, 'customers').map((one) =>
    ['title', 'given_name', 'family_name'].flatMap((part) => textOf(one, part) ?? []).join(' '),
  );
  const company = textOf(below(account, 'business'), 'company_name');
  return [...(company === undefined ? [] : [company]), ...people].join(', ');
}

function agreementsOf(point: Stored | undefined): Part {
  return rowsOf(point, 'agreements').map((one) => {
    const end = textOf(one, 'effective_to');
    return html`<p>
      <code>${textOf(one, 'tariff_code')}</code> from ${textOf(one, 'effective_from')}
      ${end === undefined ? 'without an end' : `to ${end}`}
    </p>`;
  });
}

interface Decision {
  request: PageRequest;
  held: Account;
  /** Undefined: all held points of the account. */
  identifier?: string;
  count?: number;
}

function decisionForm({ request, held, identifier, count: all = 1 }: Decision): Html {
  if (!request.may('account.change')) return html``;
  const field = identifier === undefined ? 'reason-all' : `reason-${identifier}`;
  const to = claimPath(held.importSupplier, held.externalAccountNumber);
  return html`<form class="narrow" method="post" action="${to}">
    ${identifier === undefined && html`<h2>Decide on all ${count(all)} supply points together</h2>`}
    ${request.formToken}
    ${identifier !== undefined && html`<input type="hidden" name="supply_point_identifier" value="${identifier}" />`}
    <label for="${field}">Reason</label>
    <input id="${field}" name="reason" maxlength="1000" required />
    <p class="fine">The reason is stored in the audit.</p>
    <p class="row">
      <button name="decision" value="GO_ON">Request the switch of ${held.externalAccountNumber}</button>
      <button class="danger" name="decision" value="LEAVE">
        ${identifier === undefined ? 'Reject the switches; the other accounts keep the supply points' : 'Reject the switch; the other account keeps the supply point'}
      </button>
    </p>
    <p class="fine">A requested switch cannot be put on hold again.</p>
  </form>`;
}

async function decide(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { params, form, actor, log } = request;
  const body = Object.fromEntries(
    ['decision', 'reason', 'supply_point_identifier'].flatMap((name) =>
      form.get(name) ? [[name, form.get(name)]] : [],
    ),
  );
  const leadDays = deps.settings.SWITCH_LEAD_TIME_DAYS;
  const done = await decideClaim({ ...deps, leadDays }, { params, caller: actor, log }, body);
  if (isRefused(done)) return done;
  const { supplier = '', external = '' } = params;
  const left = (await findClaims(deps.database, supplier, external)).some(
    ({ held }) => nameOf(held) === `${supplier}/${external}`,
  );
  const text =
    form.get('decision') === 'GO_ON'
      ? `The switch of ${supplier}/${external} will be requested.`
      : `The other account keeps the supply point; its switch on ${supplier}/${external} was rejected.`;
  return { redirect: left ? claimPath(supplier, external) : LIST, flash: { kind: 'done', text } };
}

/** Reads an account, which is audited; undefined if it does not exist. */
async function readView(deps: SiteDeps, request: PageRequest, account: Account): Promise<Stored | undefined> {
  const key = { supplier: account.importSupplier, external: account.externalAccountNumber };
  const isOpen = request.may('contact-data.see');
  const json = await readAccount(deps, request.actor, key, { isOpen, isRevealed: false });
  return isRefused(json) ? undefined : readStored(json);
}

function nameOf({ importSupplier, externalAccountNumber }: Account): string {
  return `${importSupplier}/${externalAccountNumber}`;
}

function distinct(accounts: readonly Account[]): Account[] {
  return [...new Map(accounts.map((one) => [nameOf(one), one])).values()];
}
