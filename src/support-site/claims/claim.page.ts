import { readAccount } from '../../account-view/index.ts';
import { decideClaim, findClaims, type Claim } from '../../switching/index.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { customerName } from '../account/account-summary.ts';
import { addressLine, switchBadge } from '../account/account-supply.ts';
import { below, readStored, rowsOf, textOf, type Stored } from '../account/stored.ts';
import { code, count, link, moment, accountLink } from '../frame/cells.ts';
import { nothing, table } from '../frame/parts.ts';
import { fieldsIn } from '../frame/form-checks.ts';
import { form, reason } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { done, accepted, existing, handler, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { addressOf, claimPath } from '../frame/paths.ts';

const PATH = '/stuck/claims/:supplier/:external';
const LIST = addressOf('/stuck', { cause: 'supply_point_on_another_account' });
/** Accounts that are shown beside each other on one page. */
const COMPARED_MAX = 6;

type Account = NonNullable<Claim['other']>;

/** An account with its stored data, and the address and point of the claim in it. */
interface Compared {
  account: Account;
  view: Stored;
  address?: Stored | undefined;
  point?: Stored | undefined;
}

/** The accounts that have the same supply point, side by side, and the decision between them. */
export const claimPages = [page(PATH, showClaim), handler(PATH, 'account.change', decide)];

function heldIn({ supplier = '', external = '' }: PageRequest['params']): Account {
  return { importSupplier: supplier, externalAccountNumber: external };
}

async function showClaim(request: PageRequest): Promise<PageAnswer> {
  const held = heldIn(request.params);
  const all = await findClaims(request.database, held.importSupplier, held.externalAccountNumber);
  const claims = all.filter((claim) => nameOf(claim.held) === nameOf(held));
  const view = existing(await readView(request, held), 'This account does not exist.');
  const others = distinct(claims.flatMap(({ other }) => other ?? []));
  const views: Compared[] = [{ account: held, view }];
  for (const account of others.slice(0, COMPARED_MAX - 1)) {
    const other = await readView(request, account);
    if (other !== undefined) views.push({ account, view: other });
  }
  const identifiers = [...new Set(claims.map(({ identifier }) => identifier))];
  const parts = identifiers.map((identifier) => {
    const ofPoint = claims.filter((claim) => claim.identifier === identifier);
    return html`<section>
      ${claimPart(identifier, ofPoint, views)} ${decisionForm(request, held, [identifier])}
    </section>`;
  });
  return {
    title: `Supply points of ${nameOf(held)} on another account`,
    body: html`${identifiers.length === 0 && nothing('No supply point of this account needs a decision.')}
      ${otherDirection(all, held)} ${parts} ${identifiers.length > 1 && decisionForm(request, held, identifiers)}
      <p>${link(LIST, 'All switches that need a decision')}</p>`,
  };
}

/** The account itself may be the reason why points of other accounts are held. */
function otherDirection(all: readonly Claim[], own: Account): Html[] {
  const others = distinct(all.map(({ held }) => held)).filter((one) => nameOf(one) !== nameOf(own));
  return others.map((one) => {
    const to = claimPath(one.importSupplier, one.externalAccountNumber);
    return html`<p>${link(to, `Decide on the switch on hold of ${nameOf(one)}`)}</p>`;
  });
}

type Row = readonly [name: string, cell: (one: Compared) => Part];

const ROWS: readonly Row[] = [
  ['Account', ({ account }) => accountLink(account.importSupplier, account.externalAccountNumber)],
  ['Created', ({ view }) => moment(textOf(below(view, 'account'), 'created_at'))],
  ['Customers', ({ view }) => customersOf(view)],
  ['Address', ({ address }) => address && addressLine(address, 'supply')],
  ['Customer at this address from', ({ address }) => textOf(address, 'customer_at_supply_address_from_date')],
  ['Supply from', ({ point }) => textOf(point, 'supply_start_date')],
  ['Agreements', ({ point }) => agreementsOf(point)],
  ['Switch', ({ point }) => switchBadge(textOf(point, 'switch_status') ?? '–')],
];

/** @param views the held account first */
function claimPart(identifier: string, claims: readonly Claim[], views: readonly Compared[]): Html {
  const names = new Set(claims.flatMap(({ other }) => (other ? nameOf(other) : [])));
  const shown = views.filter(({ account }, index) => index === 0 || names.has(nameOf(account)));
  const columns = shown.map((one, index) => {
    const compared = { ...one, ...placeOf(one.view, identifier) };
    return [index === 0 ? 'Switch on hold' : 'Other account', ([, cell]: Row) => cell(compared)] as const;
  });
  return html`<h2>Supply point ${code(identifier)}</h2>
    <p>On hold since ${moment(claims[0]?.since)}.</p>
    ${claims.every(({ other }) => other === null) && html`<p>No other account has this supply point any more.</p>`}
    ${table(`Accounts with supply point ${identifier}`, ROWS, [['', ([name]) => name, 'row'], ...columns])}`;
}

function placeOf(view: Stored, identifier: string): { address: Stored; point: Stored } | undefined {
  const places = rowsOf(below(view, 'account'), 'supply_addresses').flatMap((address) =>
    rowsOf(address, 'supply_points').map((point) => ({ address, point })),
  );
  return places.find(({ point }) => textOf(point, 'identifier') === identifier);
}

function customersOf(view: Stored): string {
  const account = below(view, 'account');
  const company = textOf(below(account, 'business'), 'company_name');
  const people = rowsOf(account, 'customers').map(customerName);
  return [...(company === undefined ? [] : [company]), ...people].join(', ');
}

function agreementsOf(point: Stored | undefined): Part {
  return rowsOf(point, 'agreements').map((one) => {
    const end = textOf(one, 'effective_to');
    return html`<p>
      ${code(textOf(one, 'tariff_code'))} from ${textOf(one, 'effective_from')}
      ${end === undefined ? 'without an end' : `to ${end}`}
    </p>`;
  });
}

/** @param identifiers the point to decide on, or all of them */
function decisionForm(request: PageRequest, held: Account, identifiers: readonly string[]): Part {
  if (!request.may('account.change')) return '';
  const [identifier] = identifiers;
  const isOne = identifiers.length === 1;
  const leave = isOne
    ? 'Reject the switch; the other account keeps the supply point'
    : 'Reject the switches; the other accounts keep the supply points';
  return form(request, {
    action: claimPath(held.importSupplier, held.externalAccountNumber),
    id: isOne ? identifier : 'all',
    title: isOne ? undefined : `Decide on all ${count(identifiers.length)} supply points together`,
    hidden: isOne ? { supply_point_identifier: identifier! } : {},
    fields: [{ ...reason(true), hint: 'The reason is stored in the audit.' }],
    more: html`<p class="row">
        <button name="decision" value="GO_ON">Request the switch of ${held.externalAccountNumber}</button>
        <button class="danger" name="decision" value="LEAVE">${leave}</button>
      </p>
      <p class="fine">A requested switch cannot be put on hold again.</p>`,
  });
}

async function decide(request: PageRequest): Promise<PageAnswer> {
  const { database, settings, form: sent } = request;
  const held = heldIn(request.params);
  const leadDays = settings.SWITCH_LEAD_TIME_DAYS;
  accepted(await decideClaim({ ...request, leadDays }, request, fieldsIn(sent)));
  const left = await findClaims(database, held.importSupplier, held.externalAccountNumber);
  const isLeft = left.some((claim) => nameOf(claim.held) === nameOf(held));
  const text =
    sent.get('decision') === 'GO_ON'
      ? `The switch of ${nameOf(held)} will be requested.`
      : `The other account keeps the supply point; its switch on ${nameOf(held)} was rejected.`;
  return done(isLeft ? claimPath(held.importSupplier, held.externalAccountNumber) : LIST, text);
}

/** Reads an account, which is audited; undefined if it does not exist. */
async function readView(request: PageRequest, account: Account): Promise<Stored | undefined> {
  const key = { supplier: account.importSupplier, external: account.externalAccountNumber };
  const isOpen = request.may('contact-data.see');
  const json = await readAccount(request, request.actor, key, { isOpen, isRevealed: false });
  return isRefused(json) ? undefined : readStored(json);
}

function nameOf({ importSupplier, externalAccountNumber }: Account): string {
  return `${importSupplier}/${externalAccountNumber}`;
}

function distinct(accounts: readonly Account[]): Account[] {
  return [...new Map(accounts.map((one) => [nameOf(one), one])).values()];
}
