import { readSupplyPoint, retryLookup, type SupplyPointView } from '../../supply-points/index.ts';
import { unknownNetworkOperator } from '../../supply-points/throttle/throttle.rules.ts';
import { isNetworkOperator, networkOperatorTitles } from '../../vocabulary/network-operators.ts';
import { badge, code, fromNow, link, moment, nothing, pairs, table } from '../frame/elements.ts';
import { reasonForm } from '../frame/forms.ts';
import { html, type Html } from '../frame/html.ts';
import { accepted, done, handler, page, type PageAnswer, type PageRequest } from '../frame/page.ts';
import { accountPath, pointPath, SUPPLY_POINTS } from '../frame/paths.ts';
import { numberIn, orderOf, steering } from './steering.ts';

const PATH = `${SUPPLY_POINTS}/points/:operator/:identifier`;

/** One supply point: data of the network operator, lookups, and accounts. */
export const pointPages = [
  page(`${SUPPLY_POINTS}/points`, ({ query }) => {
    const operator = query.get('operator');
    const identifier = (query.get('identifier') ?? '').replaceAll(/\s/g, '').toUpperCase();
    if (!isNetworkOperator(operator)) return accepted(unknownNetworkOperator());
    return { redirect: identifier === '' ? SUPPLY_POINTS : pointPath(operator, identifier) };
  }),
  page(PATH, showPoint),
  handler(`${PATH}/retry`, 'population-batch.steer', async (request) => {
    const { operator = '', identifier = '' } = request.params;
    const number = numberIn(await retryLookup(steering(request), orderOf(request)), 'retried');
    const text =
      number > 0 ? 'The lookup is requested again.' : 'Nothing was changed: the lookup is pending or complete.';
    return done(pointPath(operator, identifier), text);
  }),
];

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
