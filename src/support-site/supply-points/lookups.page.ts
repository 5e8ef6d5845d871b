import type { Reply } from '../../platform/http/route.ts';
import {
  listDeferredLookups,
  readSupplyPoint,
  retryLookup,
  retryLookups,
  type SupplyPointView,
} from '../../supply-points/index.ts';
import type { DeferredLookupPage } from '../../supply-points/find/find-supply-points.openapi.ts';
import type { Refused } from '../../vocabulary/refusals.ts';
import { unknownNetworkOperator } from '../../supply-points/throttle/throttle.rules.ts';
import {
  isNetworkOperator,
  networkOperatorTitles,
  type NetworkOperatorName,
} from '../../vocabulary/network-operators.ts';
import { badge, code, count, fromNow, link, moment, accountLink } from '../frame/cells.ts';
import { nothing, pairs, table } from '../frame/parts.ts';
import { orderOf } from '../frame/form-checks.ts';
import { reason, reasonForm } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { listPages, type List } from '../frame/list.ts';
import { accepted, done, handler, page, problem, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { addressOf, BULK_ACTIONS, deferredPath, pointPath, SUPPLY_POINTS } from '../frame/paths.ts';

const DEFERRED = `${SUPPLY_POINTS}/deferred/:operator`;
/** A row of the list. */
type DeferredLookup = DeferredLookupPage['look_ups'][number];

const POINT = `${SUPPLY_POINTS}/points/:operator/:identifier`;

/** Identifiers that a network operator fails on, single supply points, and the forms that request lookups again. */
export const lookupPages = [
  ...listPages({
    path: DEFERRED,
    title: (request) => `Deferred at ${networkOperatorTitles[operatorOf(request)]}`,
    list: deferredOf,
    body: (_, list) =>
      html`<p class="fine">
          The network operator fails on these identifiers while it answers others. They are requested again every hour,
          until their time limit.
        </p>
        ${list}`,
  }),
  handler(`${DEFERRED}/retry`, 'population-batch.steer', async (request) => {
    const back = deferredPath(request.params['operator'] ?? '');
    const identifiers = request.form.getAll('identifier');
    if (identifiers.length === 0) return problem(back, 'No identifier was selected.');
    const body = { identifiers, reason: request.form.get('reason') ?? '' };
    const reply = await retryLookups(request, { ...request, body });
    return done(back, `${identifiersIn(reply, 'retried')} will be requested again.`);
  }),
  page(`${SUPPLY_POINTS}/points`, ({ query }) => {
    const operator = query.get('operator');
    const identifier = (query.get('identifier') ?? '').replaceAll(/\s/g, '').toUpperCase();
    if (!isNetworkOperator(operator)) return accepted(unknownNetworkOperator());
    return { redirect: identifier === '' ? SUPPLY_POINTS : pointPath(operator, identifier) };
  }),
  page(POINT, showPoint),
  handler(`${POINT}/retry`, 'population-batch.steer', async (request) => {
    const { operator = '', identifier = '' } = request.params;
    const number = numberIn(await retryLookup(request, orderOf(request)), 'retried');
    const text =
      number > 0 ? 'The lookup is requested again.' : 'Nothing was changed: the lookup is pending or complete.';
    return done(pointPath(operator, identifier), text);
  }),
];

function operatorOf({ params }: PageRequest): NetworkOperatorName {
  const { operator: name } = params;
  return isNetworkOperator(name) ? name : accepted(unknownNetworkOperator());
}

/** Sorted by the next attempt, by the index that pages of lookups are read by. */
function deferredOf(request: PageRequest): List<DeferredLookup> {
  const { now, database } = request;
  const name = operatorOf(request);
  const path = deferredPath(name);
  const all = addressOf(`${BULK_ACTIONS}/new`, { action: 'retry', cause: 'look_ups_set_aside', party: name });
  return {
    name: `deferred-${name}`,
    path,
    label: 'Deferred identifiers by next attempt',
    sorts: ['next_attempt_at'],
    selection: request.may('population-batch.steer') && {
      name: 'identifier',
      of: ({ identifier }) => [identifier, identifier],
      form: { action: `${path}/retry`, fields: [reason(true)], button: 'Request the selected identifiers again' },
      all: request.may('bulk-action.steer') && [all, 'Request all of them again'],
    },
    columns: {
      identifier: ['Identifier', ({ identifier }) => link(pointPath(name, identifier), code(identifier)), 'row'],
      tries: ['Attempts', undefined, 'number'],
      last_failure: ['Last failure', (one) => code(one.last_failure)],
      set_aside_at: ['Deferred since', (one) => fromNow(one.set_aside_at, now)],
      next_attempt_at: ['Next attempt', (one) => fromNow(one.next_attempt_at, now)],
      customer_authorisation: ['Customer authorization', (one) => (one.customer_authorisation ? 'with' : 'without')],
      wanted: ['Open batch', (one) => (one.wanted ? 'yes' : badge('in no open batch'))],
    },
    read: async ({ cursor, limit }) => {
      const found = accepted(await listDeferredLookups(database, name, cursor, limit));
      return { rows: found.look_ups, next: found.next_cursor };
    },
    empty: 'No identifier is deferred.',
  };
}

async function showPoint(request: PageRequest): Promise<PageAnswer> {
  const point = accepted(await readSupplyPoint(request.database, request.actor, request.params));
  const { identifier, network_operator: operator, look_ups: lookups } = point;
  const retry = { action: `${pointPath(operator, identifier)}/retry`, button: 'Request again', tone: 'quiet' } as const;
  const body = html`${factsPart(point, request)}
    ${
      lookups.length > 0 &&
      html`<h2>Lookups</h2>
        ${lookupsTable(lookups, request)}`
    }
    ${lookups.length > 0 && request.may('population-batch.steer') && reasonForm(request, retry)}
    <h2>Accounts</h2>
    ${table(
      'Accounts with this point',
      point.accounts,
      [
        ['Account', (one) => accountLink(one.import_supplier, one.external_account_number)],
        ['Service account number', ({ service_account_number: number }) => code(number)],
      ],
      'No account has this supply point.',
    )}`;
  return { title: `${identifier} at ${networkOperatorTitles[operator]}`, body };
}

function factsPart(point: SupplyPointView, { now }: PageRequest): Html {
  if (point.facts === null) return nothing('The network operator has not returned data yet.');
  return html`<h2>Data from the network operator</h2>
    ${pairs(Object.entries(point.facts).map(([name, value]) => [name.replaceAll('_', ' '), value] as const))}
    <p class="fine">
      From ${code(point.source)}, ${moment(point.looked_up_at)}, ${fromNow(point.looked_up_at, now)},
      ${point.with_customer_authorisation ? 'with' : 'without'} the customer's authorisation.
    </p>`;
}

const TONES = new Map<string, 'good' | 'bad'>([
  ['imported', 'good'],
  ['errored', 'bad'],
]);

function lookupsTable(lookups: SupplyPointView['look_ups'], { now }: PageRequest): Html {
  return table('Lookups of this point', lookups, [
    ['Customer authorization', (one) => (one.customer_authorisation ? 'with' : 'without')],
    ['State', ({ state }) => badge(state, TONES.get(state) ?? 'plain')],
    ['Reason', (one) => code(one.errored_reason)],
    ['Attempts', ({ tries }) => tries, 'number'],
    ['Last failure', (one) => code(one.last_failure)],
    ['Next attempt', (one) => fromNow(one.next_attempt_at, now)],
    ['Ended', (one) => fromNow(one.ended_at, now)],
  ]);
}

/** A number in the reply of the operator API. */
function numberIn(reply: Reply | Refused, member: string): number {
  const value = (accepted(reply).body as Record<string, unknown>)[member];
  return typeof value === 'number' ? value : 0;
}

/** The number of identifiers in the reply of the operator API, in words. */
export function identifiersIn(reply: Reply | Refused, member: string): string {
  const number = numberIn(reply, member);
  return number === 1 ? '1 identifier' : `${count(number)} identifiers`;
}
