import {
  listDeferredLookups,
  readSupplyPoint,
  retryLookup,
  retryLookups,
  type SupplyPointView,
} from '../../supply-points/index.ts';
import { unknownNetworkOperator } from '../../supply-points/throttle/throttle.rules.ts';
import { isNetworkOperator, networkOperatorTitles } from '../../vocabulary/network-operators.ts';
import { badge, code, fromNow, link, moment } from '../frame/cells.ts';
import { nextPage, nothing, pairs, table } from '../frame/parts.ts';
import { orderOf } from '../frame/form-checks.ts';
import { reason, reasonForm, selectionTable } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { accepted, done, handler, page, problem, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, addressOf, deferredPath, pointPath, SUPPLY_POINTS } from '../frame/paths.ts';
import { identifiersIn, numberIn } from './steering.ts';

const DEFERRED = `${SUPPLY_POINTS}/deferred/:operator`;
const POINT = `${SUPPLY_POINTS}/points/:operator/:identifier`;

/** Identifiers that a network operator fails on, single supply points, and the forms that request lookups again. */
export const lookupPages = [
  page(DEFERRED, showDeferred),
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

async function showDeferred(request: PageRequest): Promise<PageAnswer> {
  const { now, query } = request;
  const { operator: name } = request.params;
  if (!isNetworkOperator(name)) return accepted(unknownNetworkOperator());
  const list = accepted(await listDeferredLookups(request.database, name, query.get('cursor')));
  const body = html`<p class="fine">
      The network operator fails on these identifiers while it answers others. They are requested again every hour,
      until their time limit.
    </p>
    ${selectionTable(
      request,
      'Deferred identifiers by next attempt',
      list.look_ups,
      request.may('population-batch.steer') && {
        name: 'identifier',
        of: ({ identifier }) => [identifier, identifier],
        form: {
          action: `${deferredPath(name)}/retry`,
          fields: [reason(true)],
          button: 'Request the selected identifiers again',
        },
      },
      [
        ['Identifier', ({ identifier }) => link(pointPath(name, identifier), code(identifier))],
        ['Attempts', ({ tries }) => tries, 'number'],
        ['Last failure', (one) => code(one.last_failure)],
        ['Deferred since', (one) => fromNow(one.set_aside_at, now)],
        ['Next attempt', (one) => fromNow(one.next_attempt_at, now)],
        [
          '',
          (one) =>
            html`${one.customer_authorisation && badge('with customer authorization')}
            ${!one.wanted && badge('in no open batch')}`,
        ],
      ],
      'No identifier is deferred.',
    )}
    ${nextPage(list.next_cursor && addressOf(deferredPath(name), { cursor: list.next_cursor }))}`;
  return { title: `Deferred at ${networkOperatorTitles[name]}`, body };
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
        [
          'Account',
          ({ import_supplier: supplier, external_account_number: external }) =>
            link(accountPath(supplier, external), code(`${supplier}/${external}`)),
        ],
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
