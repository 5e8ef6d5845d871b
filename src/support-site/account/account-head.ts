import type { Words } from '../../vocabulary/french-site.ts';
import { parisDay } from '../../platform/clock.ts';
import { badge, code, link, moment, shortened } from '../frame/cells.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t } from '../frame/language.ts';
import { tabs } from '../frame/parts.ts';
import { supplierPath, wavePath } from '../frame/paths.ts';
import { euros } from '../frame/readable.ts';
import { actionsMenu } from './account-actions.ts';
import { addressLine, switchBadge, townOf } from './account-supply.ts';
import { below, rowsOf, shownValue, textOf, type ShownAccount, type Stored } from './stored.ts';

/** People whose names are in the title. */
const NAMED = 2;

/** The parts of the page, each with an address of its own. */
export const accountTabs = [
  ['', 'Summary'],
  ['/supply', 'Supply and switch'],
  ['/money', 'Money'],
  ['/documents', 'Documents and notes'],
  ['/history', 'History'],
] as const;

/** The people or the business of an account; its number if neither has a name. */
export function titleOf({ data, view, account }: Pick<ShownAccount, 'data' | 'view' | 'account'>): string {
  const company = textOf(below(account, 'business'), 'company_name') ?? textOf(below(data, 'business'), 'company_name');
  const names = rowsOf(data, 'customers').map(nameOf).filter(Boolean);
  const people = [
    names.slice(0, NAMED).join(` ${t('and')} `),
    names.length > NAMED && t('{count} more', { count: names.length - NAMED }),
  ].filter(Boolean);
  return company ?? (people.join(` ${t('and')} `) || (textOf(view, 'external_account_number') ?? ''));
}

function nameOf(customer: Stored): string {
  return [textOf(customer, 'given_name'), textOf(customer, 'family_name')].filter(Boolean).join(' ');
}

/** Who and what the account is: where, numbers, states, balance, steps, actions, pinned notes, and the tabs. */
export function headPart(shown: ShownAccount, tab: string): Html {
  const { view, account, data, at, isOnTwoAccounts } = shown;
  const supplier = textOf(view, 'import_supplier') ?? '';
  const balance = euros(textOf(account, 'balance'));
  return html`<div class="account-head">
      <p class="row">
        <span>${townOf(data)}</span>
        ${account !== undefined && html`<span title="${t('Service account number')}">${code(textOf(account, 'service_account_number'))}</span>`}
        <span title="${t('External account number')}">${code(textOf(view, 'external_account_number'))}</span>
        ${link(supplierPath(supplier), supplier)} ${stateBadges(view, account)}
        ${isOnTwoAccounts && badge(t('on two accounts'), 'warn')}
        ${balance !== undefined && html`<span>${t('balance {balance}', { balance: html`<strong>${balance}</strong>` })} ${sideOf(textOf(account, 'balance'))}</span>`}
      </p>
      ${actionsMenu(shown)}
    </div>
    ${stepsPart(view, account)} ${pinnedPart(shown)}
    ${tabs(t('Parts of the account'), tabsOf(account, at), `${at}${tab}`)}`;
}

/** What has become of an account. */
export function stateBadges(view: Stored, account: Stored | undefined): Html {
  const process = below(view, 'import_process');
  return html`${account === undefined ? badge(t('not created'), 'warn') : badge(t('created', { count: 1 }), 'good')}
  ${textOf(process, 'skipped_at') !== undefined && badge(t('skipped'), 'warn')}
  ${below(process, 'refusal') !== undefined && badge(t('rejected'), 'bad')}
  ${account !== undefined && html`<span>${t('switch {status}', { status: switchBadge(textOf(account, 'switch_status') ?? '') })}</span>`}`;
}

/** Whether a balance is the customer's credit or debt. */
function sideOf(balance: string | undefined): string {
  const amount = Number(balance ?? 0);
  return amount === 0 ? '' : t(amount > 0 ? '(credit of the customer)' : '(owed by the customer)');
}

/** Before its creation an account has a summary and a history. */
function tabsOf(account: Stored | undefined, at: string): (readonly [path: string, name: string])[] {
  return accountTabs
    .filter(([path]) => account !== undefined || path === '' || path === '/history')
    .map(([path, name]) => [`${at}${path}`, t(name)]);
}

/** The way from staged to switched, with the day of each step. */
export function stepsPart(view: Stored, account: Stored | undefined): Html {
  const process = below(view, 'import_process');
  const changes = rowsOf(account, 'switch_history');
  const last = (to: string) =>
    textOf(
      changes.findLast((one) => textOf(one, 'to') === to),
      'at',
    );
  const status = textOf(account, 'switch_status');
  const [first] = rowsOf(process, 'revisions');
  const steps: readonly (readonly [name: Words, at: string | undefined])[] = [
    ['Staged', textOf(first, 'staged_at') ?? textOf(process, 'staged_at')],
    ['Created', textOf(account, 'created_at')],
    ['Requested', textOf(rowsOf(account, 'switch_requests')[0], 'requested_at')],
    [
      'Accepted',
      textOf(
        changes.find((one) => textOf(one, 'to') === 'IN_PROGRESS'),
        'at',
      ),
    ],
    status === 'REJECTED'
      ? ['Rejected', last('REJECTED')]
      : ['Completed', status === 'COMPLETED' ? last('COMPLETED') : undefined],
  ];
  return html`<ol class="steps" aria-label="${t('Progress')}">
    ${steps.map(
      ([name, at]) =>
        html`<li class="${at === undefined ? 'open' : name === 'Rejected' ? 'failed' : 'done'}">
          ${t(name)}${at === undefined ? html` <small>${t('not yet')}</small>` : html` <small>${dayOf(at)}</small>`}
        </li>`,
    )}
  </ol>`;
}

function dayOf(at: string): Html {
  return html`<time datetime="${at}" title="${at.slice(0, 19).replace('T', ' ')} UTC"
    >${shownValue(parisDay(new Date(at)))}</time
  >`;
}

/** Pinned notes that are shown; the others are a click away. */
const PINNED_SHOWN = 3;
const NOTE_CHARACTERS = 160;

function pinnedPart({ account, at }: ShownAccount): Part {
  const pinned = rowsOf(account, 'notes').filter((note) => note['is_pinned'] === true);
  return pinned.slice(0, PINNED_SHOWN).map((note) => {
    const until = textOf(note, 'unpin_at');
    return html`<p class="pinned">
      ${shortened(textOf(note, 'body') ?? '', NOTE_CHARACTERS)}
      <small>${until === undefined ? t('pinned') : t('pinned until {time}', { time: moment(until) })}</small>
      ${link(`${at}/documents#notes`, t('Notes'))}
    </p>`;
  });
}

/** What an account is in short: its numbers, relations and dates. */
export function factsOf({ view, account, data }: ShownAccount): readonly (readonly [string, Part])[] {
  const process = below(view, 'import_process');
  const business = below(account, 'business');
  const wave = below(process, 'wave');
  const contract = textOf(account, 'business_contract_identifier');
  return [
    [t('Account type'), textOf(data, 'account_type')],
    [t('Operations team'), textOf(account, 'operations_team')],
    [
      t('Business'),
      business &&
        html`${link(`/businesses/${textOf(business, 'service_business_id')}`, textOf(business, 'company_name'))}
        ${contract !== undefined && html`<small>${t('contract {identifier}', { identifier: code(contract) })}</small>`}`,
    ],
    [t('SIRET'), textOf(data, 'siret')],
    [t('Business type'), textOf(data, 'business_type')],
    [
      t('Wave'),
      wave &&
        html`${link(wavePath(textOf(wave, 'wave_id') ?? ''), textOf(wave, 'name'))}
          <small>${textOf(wave, 'status')}</small>`,
    ],
    [t('Billing address'), addressLine(data, 'billing')],
    [t('Sales channel'), [textOf(data, 'sales_channel'), textOf(data, 'sales_subchannel')].filter(Boolean).join(', ')],
    [t('Last billed to'), shownValue(textOf(data, 'last_billed_to_date'))],
    [t('Unknown occupier'), textOf(data, 'unknown_occupier') === 'true' && t('yes')],
    [t('Switches held until'), textOf(account, 'switch_not_before') && moment(textOf(account, 'switch_not_before'))],
  ];
}
