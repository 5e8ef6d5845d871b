import type { StuckView } from '../../stuck/stuck.schema.ts';
import type { Claim } from '../../switching/index.ts';
import { pageOfCode } from '../../vocabulary/remedies.ts';
import { badge, code, fromNow, link, linkAway, accountLink } from '../frame/cells.ts';
import { form } from '../frame/forms.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { t, translated } from '../frame/language.ts';
import { nothing, pairs } from '../frame/parts.ts';
import { claimPath } from '../frame/paths.ts';
import { labelOf, telephone } from '../frame/readable.ts';
import { adviceOnFault, adviceOnSite, forwardAdvice, mayBeRetried } from '../frame/site-advice.rules.ts';
import { runLink, runsOf } from './account-actions.ts';
import { factsOf } from './account-head.ts';
import { addressLine, switchBadge } from './account-supply.ts';
import { below, partOfList, rowsOf, shownValue, textOf, type ShownAccount, type Stored } from './stored.ts';

/** Something that is wrong, and what a person can do about it. */
interface Fault {
  code: string;
  /** The page of the code, for the supplier. */
  page?: string | undefined;
  tone: 'bad' | 'warn';
  place?: string | undefined;
  detail?: Part;
  advice?: Part;
  act?: Part;
}

/** A supply point on two accounts. */
const CLAIMED = 'supply_point_on_another_account';

/** Faults that are shown at once; an account may have thousands of warnings. */
const FAULTS_SHOWN = 4;

/**
 * What is wrong with the account, and what to do, in one box.
 * @param stuck undefined while Temporal is unavailable
 */
export function faultsPart(
  shown: ShownAccount,
  stuck: readonly StuckView[] | undefined,
  claims: readonly Claim[],
): Html {
  const others = [
    ...faultsOfData(shown),
    ...rejectedPayments(shown),
    ...(stuck ?? []).map((one) => faultOfStuck(one, shown)),
  ];
  // A claim says more than the warning about its point, and than its held switch.
  const faults = [
    ...claims.map((claim) => faultOfClaim(claim, shown)),
    ...others.filter(({ code: fault }) => claims.length === 0 || fault !== CLAIMED),
  ];
  const { shown: some, links } = partOfList('faults', faults, shown.place, FAULTS_SHOWN);
  const unknown = stuck === undefined && t('Stuck work is not known at the moment: Temporal is unavailable.');
  if (faults.length === 0) {
    return html`<p class="fine" id="faults">${unknown || t('Nothing is wrong with this account.')}</p>`;
  }
  return html`<section class="card wrong" aria-labelledby="faults">
    <h2 id="faults">${t('What is wrong, and what to do')}</h2>
    <ul>
      ${some.map(
        (fault) =>
          html`<li>
            ${badge(labelOf(fault.code), fault.tone)} ${fault.place !== undefined && html`<code>${fault.place}</code>`}
            ${fault.detail} ${fault.advice !== undefined && html`<br /><strong>${fault.advice}</strong>`} ${fault.act}
            ${linkAway(fault.page, html`<small>${fault.code}</small>`)}
          </li>`,
      )}
    </ul>
    ${links} ${unknown && html`<p class="fine">${unknown}</p>`}
  </section>`;
}

/** The rejection of the last creation, and the warnings. */
export function faultsOfData({ view, request }: ShownAccount): Fault[] {
  const refusal = below(below(view, 'import_process'), 'refusal');
  const violations =
    rowsOf(refusal, 'violations').length > 0 ? rowsOf(refusal, 'violations') : rowsOf(refusal, 'errors');
  const rejected = violations.length > 0 ? violations : refusal === undefined ? [] : [refusal];
  const faultOf = (fault: Stored, tone: Fault['tone'], otherwise?: string): Fault => {
    // All other pages use this name for an account that the database rejects.
    const fromApi = textOf(fault, 'code') ?? '';
    const name = fromApi === 'creation_failed' ? 'quarantined' : fromApi;
    const path = fault['path'];
    const advice = adviceOnFault(name, request);
    return {
      code: name,
      page: request.apiAddress(pageOfCode(name)),
      tone,
      place: Array.isArray(path) ? path.join('.') : textOf(fault, 'attr'),
      detail: translated(textOf(fault, 'detail') ?? textOf(fault, 'fault') ?? ''),
      advice: advice === undefined ? otherwise : t(advice),
    };
  };
  return [
    ...rejected.map((fault) => faultOf(fault, 'bad', t(forwardAdvice(request)))),
    ...rowsOf(view, 'warnings').map((fault) => faultOf(fault, 'warn')),
  ];
}

/** Rejected payment instructions: the newest verification of each reference, unless a later one of the account was accepted. */
function rejectedPayments({ account, request }: ShownAccount): Fault[] {
  const all = rowsOf(account, 'payment_verifications');
  const accepted = all.findLastIndex((one) => textOf(one, 'outcome') === 'verified');
  const since = all.slice(accepted + 1);
  const newest = [...new Map(since.map((one) => [textOf(one, 'reference'), one])).values()];
  return newest
    .filter((one) => textOf(one, 'outcome') === 'rejected')
    .map((one): Fault => ({
      code: 'payment_vendor_rejected',
      page: request.apiAddress(pageOfCode('payment_vendor_rejected')),
      tone: 'bad',
      detail: html`${textOf(one, 'vendor')} ${code(textOf(one, 'reference'))}: ${textOf(one, 'reason')}`,
    }));
}

function faultOfClaim({ identifier, held, other: second }: Claim, { view }: ShownAccount): Fault {
  const isOwn =
    held.importSupplier === textOf(view, 'import_supplier') &&
    held.externalAccountNumber === textOf(view, 'external_account_number');
  const other = isOwn ? second : held;
  const [point, account] = [code(identifier), other && accountLink(other.importSupplier, other.externalAccountNumber)];
  const ofOne = isOwn
    ? t('{point} is no longer on the other account; its switch is on hold here.', { point })
    : t('{point} is no longer on the other account, where its switch is on hold.', { point });
  const ofTwo = isOwn
    ? t('{point} is also on {account}; its switch is on hold here.', { point, account })
    : t('{point} is also on {account}, where its switch is on hold.', { point, account });
  return {
    code: CLAIMED,
    tone: 'bad',
    detail: account === null ? ofOne : ofTwo,
    act: link(claimPath(held.importSupplier, held.externalAccountNumber), t('Compare and decide')),
  };
}

function faultOfStuck(one: StuckView, { request, at }: ShownAccount): Fault {
  const { cause, last_failure: failure, paused, waiting_since: since, next_attempt_at: next, id } = one;
  const retry = { action: `${at}/retry`, button: t('Retry'), look: 'plain', hidden: { id } } as const;
  return {
    code: cause,
    tone: 'warn',
    detail: html`${failure?.message}
    ${t('stuck since {time}, next attempt {next}', { time: fromNow(since, request.now), next: paused ? t('paused') : fromNow(next, request.now) })}`,
    advice: adviceOnSite(one),
    act: request.may('stuck.retry') && mayBeRetried(one) && form(request, retry),
  };
}

/** People, supply points and facts, beside the newest history. */
export function summaryPart(shown: ShownAccount, reveal: Part, newest: Part): Html {
  const runs = runsOf(shown.view);
  return html`<div class="columns">
    <div>${peoplePart(shown, reveal)} ${pointsPart(shown)}</div>
    <div>
      <section class="card">
        <h2>${t('Account')}</h2>
        ${pairs([...factsOf(shown), [t('Runs'), runs.length > 0 && runs.map((id) => html`${runLink(id, shown.request)} `)]])}
      </section>
      ${newest}
    </div>
  </div>`;
}

/** People on the summary; the other pages of the list are a click away. */
const PEOPLE_SHOWN = 10;

function peoplePart({ data, place }: ShownAccount, reveal: Part): Html {
  const { shown, links } = partOfList('people', rowsOf(data, 'customers'), place, PEOPLE_SHOWN);
  return html`<section class="card">
    <h2 id="people">${t('Customers')}</h2>
    ${shown.length === 0 && nothing(t('The account has no customers.'))}
    ${shown.map(
      (one) =>
        html`<h3>
            ${customerName(one)}
            ${textOf(one, 'deceased') !== undefined && badge(t('deceased: {day}', { day: textOf(one, 'deceased') ?? '' }), 'warn')}
          </h3>
          ${pairs([
            [t('Mobile'), telephone(textOf(one, 'mobile_e164') ?? textOf(one, 'mobile'))],
            [t('Landline'), telephone(textOf(one, 'landline_e164') ?? textOf(one, 'landline'))],
            [t('Email'), textOf(one, 'email')],
            [t('Date of birth'), shownValue(textOf(one, 'date_of_birth'))],
            [t('Agreed to'), optedInto(one)],
          ])}`,
    )}
    ${links} ${reveal}
  </section>`;
}

/** The title and names of a customer. */
export function customerName(customer: Stored): string {
  return ['title', 'given_name', 'family_name'].flatMap((part) => textOf(customer, part) ?? []).join(' ');
}

function optedInto(customer: Stored): string {
  const preferences = below(customer, 'customer_preferences') ?? customer;
  return ['updates', 'sms', 'offers', 'recommended']
    .filter((what) => textOf(preferences, `opted_into_${what}`) === 'true')
    .join(', ');
}

/** Addresses on the summary. */
const ADDRESSES_SHOWN = 10;
const POINTS_SHOWN = 10;

function pointsPart({ data, place }: ShownAccount): Part {
  const { shown, links } = partOfList('points', rowsOf(data, 'supply_addresses'), place, ADDRESSES_SHOWN);
  if (shown.length === 0) return '';
  return html`<section class="card">
    <h2 id="points">${t('Supply points')}</h2>
    ${shown.map((address) => {
      const points = rowsOf(address, 'supply_points');
      return html`<h3>${addressLine(address, 'supply') || t('Empty address')}</h3>
        <ul class="lines">
          ${points.slice(0, POINTS_SHOWN).map((point) => {
            const status = textOf(point, 'switch_status');
            const [tariff] = rowsOf(point, 'agreements').toReversed();
            return html`<li>
              ${code(textOf(point, 'identifier'))} ${labelOf((textOf(point, 'supply_type') ?? '').toLowerCase())}
              ${status !== undefined && switchBadge(status)} <small>${textOf(tariff, 'tariff_code')}</small>
            </li>`;
          })}
          ${points.length > POINTS_SHOWN && html`<li><small>${t('and {count} more', { count: points.length - POINTS_SHOWN })}</small></li>`}
        </ul>`;
    })}
    ${links}
  </section>`;
}
