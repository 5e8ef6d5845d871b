import { findAccountCounts } from '../../account-import/index.ts';
import { partyStateOf } from '../../overview/decision.rules.ts';
import { findPartyMinutes, findPartyStates, type PartyState } from '../../platform/vendor-http/party-health.store.ts';
import { findDeferred, findLookupLoads, findThrottle } from '../../supply-points/index.ts';
import { isNetworkOperator, type NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import type { PartyName } from '../../vocabulary/parties.ts';
import { badge, buttonLink, CHART_HEIGHT, chartPath, count, fromNow, link, moment } from '../frame/cells.ts';
import { html, type Html, type Part } from '../frame/html.ts';
import { auditPart, nothing, pairs, table } from '../frame/parts.ts';
import { existing, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import {
  addressOf,
  BULK_ACTIONS,
  deferredPath,
  PARTIES,
  partyPath,
  SUPPLY_POINTS,
  throttlePath,
} from '../frame/paths.ts';
import { causeTitle, partyTitle } from '../stuck/cause-words.rules.ts';
import { groupsOf, type StuckGroup } from '../stuck/stuck-groups.ts';

/** Outside parties: all of them, and the page of each. */
export const partyPages = [page(PARTIES, showList), page(`${PARTIES}/:party`, showParty)];

/** The state of a party as a badge. */
export const PARTY_STATES = {
  answers: badge('available', 'good'),
  fails: badge('failing', 'bad'),
  rests: badge('calls paused', 'bad'),
  not_asked: badge('not called yet'),
} as const;

/** Something that waits for a party. */
interface Waiting {
  what: Part;
  count: number;
  oldest?: Date | undefined;
  /** When it is tried again, or has ended. */
  until?: Part;
}

function stateOf({ answeredAt, failedAt, pausedUntil }: PartyState): keyof typeof PARTY_STATES {
  return partyStateOf({
    answered_at: answeredAt?.toISOString() ?? null,
    failed_at: failedAt?.toISOString() ?? null,
    rests_until: pausedUntil?.toISOString() ?? null,
  });
}

/** The outages with their ends. One that a worker did not end, because it was stopped, ended at the next answer. */
function outagesOf(state: PartyState): { from: string; to: string | undefined; failedCalls: number }[] {
  const isAway = ['fails', 'rests'].includes(stateOf(state));
  return state.outages.map(({ from, to, failed_calls: failedCalls }, index) => {
    const end = index === 0 && isAway ? undefined : (state.answeredAt?.toISOString() ?? undefined);
    return { from, to: to ?? end, failedCalls };
  });
}

const RECENT_MS = 86_400_000;

/** The parties that were unavailable and have responded since, within a day, with the end of the last outage. */
export async function findEndedOutages({ database, now }: PageRequest): Promise<{ words: Html; to: string }[]> {
  const states = await findPartyStates(database);
  return states.flatMap((state) => {
    const [{ to } = { to: undefined }] = outagesOf(state);
    const isRecent = to !== undefined && now.getTime() - Date.parse(to) < RECENT_MS;
    return isRecent ? [{ words: link(partyPath(state.party), partyTitle(state.party)), to }] : [];
  });
}

async function showList({ database, now, stuck: work }: PageRequest): Promise<PageAnswer> {
  const [states, stuck] = await Promise.all([findPartyStates(database), work.groups()]);
  const body = table('Outside parties', states, [
    ['Party', ({ party }) => link(partyPath(party), partyTitle(party)), 'row'],
    ['State', (state) => PARTY_STATES[stateOf(state)]],
    ['Last response', ({ answeredAt: at }) => fromNow(at, now)],
    ['Last failure', ({ failedAt: at, failure }) => html`${fromNow(at, now)} <small>${failure}</small>`],
    ['Last outage', (state) => outageText(outagesOf(state)[0], now)],
    [
      'Stuck work',
      ({ party }) => count(stuck.filter((one) => one.party === party).reduce((sum, one) => sum + one.count, 0)),
      'number',
    ],
  ]);
  return { title: 'Parties', body };
}

function outageText(outage: ReturnType<typeof outagesOf>[number] | undefined, now: Date): Part {
  if (outage === undefined) return html`<span class="none">–</span>`;
  return outage.to === undefined ? html`since ${fromNow(outage.from, now)}` : html`ended ${fromNow(outage.to, now)}`;
}

async function showParty(request: PageRequest): Promise<PageAnswer> {
  const { database, now, params } = request;
  const states = await findPartyStates(database);
  const state = existing(
    states.find(({ party }) => party === params['party']),
    'There is no such outside party.',
  );
  const { party, answeredAt, failedAt, failure, pausedUntil } = state;
  const operator = isNetworkOperator(party) ? party : undefined;
  const stuck = groupsOf((await request.stuck.groups()).filter((one) => one.party === party));
  const body = html`${pairs([
      [
        'State',
        html`${PARTY_STATES[stateOf(state)]} ${pausedUntil !== null && html`calls resume ${fromNow(pausedUntil, now)}`}`,
      ],
      ['Last response', answeredAt !== null && moment(answeredAt, now)],
      ['Last failure', failedAt !== null && html`${moment(failedAt, now)} ${failure}`],
    ])}
    ${await callsPart(party, request)}
    <h2>What waits</h2>
    ${waitingTable(await waitingFor(party, stuck, request))} ${retryPart(party, stuck, request)}
    ${operator !== undefined && (await speedPart(operator, request))} ${outagesPart(state, now)}`;
  return { title: partyTitle(party), body };
}

const MINUTE_MS = 60_000;
const MINUTES_SHOWN = 1_440;
/** Minutes of one bar. */
const MINUTES_PER_BAR = 10;
/** The smallest bar, in hundredths of the height. */
const LEAST = 4;

/** Responses and failures per minute over a day. */
async function callsPart(party: PartyName, { database, now }: PageRequest): Promise<Html> {
  const minutes = await findPartyMinutes(database, party);
  const bars = MINUTES_SHOWN / MINUTES_PER_BAR;
  const from = now.getTime() - MINUTES_SHOWN * MINUTE_MS;
  const row = (name: string, of: 'answered' | 'failed', look: string) => {
    const values = Array.from({ length: bars }, () => 0);
    for (const one of minutes) {
      const bar = Math.floor((one.minute.getTime() - from) / MINUTE_MS / MINUTES_PER_BAR);
      values[Math.min(Math.max(bar, 0), bars - 1)]! += one[of];
    }
    const total = minutes.reduce((sum, one) => sum + one[of], 0);
    const most = Math.max(0, ...minutes.map((one) => one[of]));
    return (
      total > 0 &&
      html`<figure class="days">
        <figcaption>
          ${name} <strong>${count(total)}</strong> <small>most in a minute: ${count(most)}</small>
        </figcaption>
        <svg viewBox="0 0 ${bars} ${CHART_HEIGHT}" preserveAspectRatio="none" aria-hidden="true">
          <path class="chart-grid" d="M0 ${CHART_HEIGHT}H${bars}" />
          <path class="${look}" d="${chartPath(values, LEAST)}" />
        </svg>
      </figure>`
    );
  };
  return html`<section class="card">
    <h2>Calls of the last 24 hours</h2>
    ${minutes.length === 0 && nothing('It was not called in the last 24 hours.')}
    ${row('Responses', 'answered', 'chart-bars')} ${row('Failures', 'failed', 'bar-bad')}
    ${
      minutes.length > 0 &&
      html`<div class="chart-axis" aria-hidden="true"><span>${moment(new Date(from))}</span><span>now</span></div>
        <details>
          <summary>Calls by minute</summary>
          ${table('Calls by minute, newest first', minutes.toReversed().slice(0, MINUTES_LISTED), [
            ['Minute', ({ minute }) => moment(minute), 'row'],
            ['Responses', ({ answered }) => count(answered), 'number'],
            ['Failures', ({ failed }) => count(failed), 'number'],
          ])}
        </details>`
    }
  </section>`;
}

/** Minutes that are listed, so that the page stays small. */
const MINUTES_LISTED = 120;

function waitingTable(waiting: readonly Waiting[]): Html {
  return table(
    'What waits for this party',
    waiting.filter(({ count: of }) => of > 0),
    [
      ['What', ({ what }) => what, 'row'],
      ['Number', ({ count: of }) => count(of), 'number'],
      ['Oldest', ({ oldest }) => moment(oldest)],
      ['Until', ({ until }) => until],
    ],
    'Nothing waits for this party.',
  );
}

/** The button that retries all stuck work of a party, after its preview. */
function retryPart(party: PartyName, stuck: readonly StuckGroup[], { may }: PageRequest): Part {
  const all = stuck.reduce((sum, one) => sum + one.count, 0);
  const preview = addressOf(`${BULK_ACTIONS}/new`, { action: 'retry', party });
  return all > 0 && may('bulk-action.steer') && html`<p>${buttonLink(preview, `Retry all ${count(all)}`)}</p>`;
}

/** Work that waits, with what fails by its cause. Only counts that exist are read. */
async function waitingFor(
  party: PartyName,
  stuck: readonly StuckGroup[],
  { database, now }: PageRequest,
): Promise<Waiting[]> {
  const failing = stuck
    .filter(({ source }) => source !== 'deferred')
    .map(({ cause, count: of, oldest }): Waiting => ({
      what: html`${link(addressOf('/stuck', { cause, party }), causeTitle(cause))} <small>${cause}</small>`,
      count: of,
      oldest,
      until: 'retried automatically',
    }));
  if (party === 'industry-switch') return [...(await switchesOf(database)), ...failing];
  return isNetworkOperator(party) ? [...(await lookupsOf(party, database, now)), ...failing] : failing;
}

async function switchesOf(database: PageRequest['database']): Promise<Waiting[]> {
  const counts = await findAccountCounts(database);
  const sum = (status: 'PENDING' | 'IN_PROGRESS') => counts.reduce((all, { switched }) => all + switched[status], 0);
  const list = (status: string, words: string) => link(addressOf('/accounts', { switch_status: status }), words);
  return [
    {
      what: list('PENDING', 'Accounts whose switch is not accepted yet'),
      count: sum('PENDING'),
      until: 'the day of their switch',
    },
    {
      what: list('IN_PROGRESS', 'Accounts whose switch is in progress'),
      count: sum('IN_PROGRESS'),
      until: 'their market messages',
    },
  ];
}

async function lookupsOf(
  operator: NetworkOperatorName,
  database: PageRequest['database'],
  now: Date,
): Promise<Waiting[]> {
  const [loads, deferred] = await Promise.all([findLookupLoads(database), findDeferred(database)]);
  const load = loads.find((one) => one.networkOperator === operator);
  const later = deferred.find((one) => one.networkOperator === operator);
  const rate = load === undefined ? 0 : load.perSecond || load.usedPerSecond;
  const end = load !== undefined && rate > 0 && new Date(now.getTime() + (load.pending / rate) * 1_000);
  return [
    {
      what: html`${link(SUPPLY_POINTS, 'Lookups')} <small>${count(load?.openBatches ?? 0)} open batches</small>`,
      count: load?.pending ?? 0,
      until: end && html`${moment(end, now)} at this rate`,
    },
    {
      what: link(deferredPath(operator), 'Deferred lookups'),
      count: later?.count ?? 0,
      oldest: later?.since,
      until: later && html`next attempt ${fromNow(later.nextAttemptAt, now)}`,
    },
  ];
}

/** The speed, and who set it when and why. */
async function speedPart(operator: NetworkOperatorName, request: PageRequest): Promise<Html> {
  const speed = await findThrottle(request.database, operator);
  return html`<h2>Speed</h2>
    <p>
      At most ${count(speed.requests_per_second)} calls per second and ${count(speed.requests_per_hour)} per hour:
      ${speed.used_per_second} per second. ${link(throttlePath(operator), 'Preview and change')}
    </p>
    ${await auditPart(request, 'Changes of the speed', `network-operators/${operator}/throttle`)}`;
}

function outagesPart(state: PartyState, now: Date): Html {
  return html`<h2>Outages</h2>
    ${table(
      'Outages, newest first',
      outagesOf(state),
      [
        ['From', ({ from }) => moment(from)],
        ['To', ({ to }) => (to === undefined ? badge('not ended', 'bad') : moment(to))],
        [
          'Minutes',
          ({ from, to }) => count(Math.ceil((new Date(to ?? now).getTime() - Date.parse(from)) / 60_000)),
          'number',
        ],
        ['Failed calls', ({ failedCalls }) => count(failedCalls), 'number'],
      ],
      'No outage is stored.',
    )}
    <p class="fine">
      An outage begins when several calls in a row have failed, so that calls pause, and ends with the next response.
      The last 50 are kept. Failed calls are retried; none is lost.
    </p>`;
}
