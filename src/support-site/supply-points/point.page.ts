import { accountPath, pointPath, SUPPLY_POINTS } from '../frame/paths.ts';
import { readSupplyPoint, retryLookup, type SupplyPointView } from '../../supply-points/index.ts';
import { unknownNetworkOperator } from '../../supply-points/throttle/throttle.rules.ts';
import { isNetworkOperator, networkOperatorTitles } from '../../vocabulary/network-operators.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { badge, fromNow, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { numberIn, orderOf, reasonForm, type SteeringDeps } from './steering.ts';

const PATH = `${SUPPLY_POINTS}/points/:operator/:identifier`;

/** One supply point: data of the network operator, lookups, and accounts. */
export function pointPages(deps: SteeringDeps): Page[] {
  return [
    {
      method: 'GET',
      path: `${SUPPLY_POINTS}/points`,
      action: 'look',
      show: async ({ query }) => {
        const operator = query.get('operator');
        const identifier = (query.get('identifier') ?? '').replaceAll(/\s/g, '').toUpperCase();
        return isNetworkOperator(operator)
          ? { redirect: identifier === '' ? SUPPLY_POINTS : pointPath(operator, identifier) }
          : unknownNetworkOperator();
      },
    },
    { method: 'GET', path: PATH, action: 'look', show: (request) => showPoint(deps, request) },
    {
      method: 'POST',
      path: `${PATH}/retry`,
      action: 'population-batch.steer',
      show: async (request) => {
        const done = await retryLookup(deps, orderOf(request));
        if (isRefused(done)) return done;
        const text =
          numberIn(done, 'retried') > 0
            ? 'The lookup is requested again.'
            : 'Nothing was changed: the lookup is pending or complete.';
        const { operator = '', identifier = '' } = request.params;
        return { redirect: pointPath(operator, identifier), flash: { kind: 'done', text } };
      },
    },
  ];
}

async function showPoint(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const point = await readSupplyPoint(deps.database, request.actor, request.params);
  if (isRefused(point)) return point;
  const now = deps.clock.now();
  const body = html`${factsPart(point, now)} ${lookupsPart(point, now)}
  ${
    point.look_ups.length > 0 &&
    request.may('population-batch.steer') &&
    reasonForm(request, {
      action: `${pointPath(point.network_operator, point.identifier)}/retry`,
      button: 'Request again',
      id: 'retry-reason',
    })
  }
  ${accountsPart(point)}`;
  return { title: `${point.identifier} at ${networkOperatorTitles[point.network_operator]}`, body };
}

function factsPart(point: SupplyPointView, now: Date): Html {
  if (point.facts === null) return nothing('The network operator has not returned data yet.');
  return html`<h2>Data from the network operator</h2>
    <dl class="pairs">
      ${Object.entries(point.facts).map(
        ([name, value]) =>
          html`<dt>${name.replaceAll('_', ' ')}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
    <p class="fine">
      From <code>${point.source}</code>, ${moment(point.looked_up_at)}, ${fromNow(point.looked_up_at, now)},
      ${point.with_customer_authorisation ? 'with' : 'without'} the customer's authorisation.
    </p>`;
}

const TONES = new Map<string, 'good' | 'bad'>([
  ['imported', 'good'],
  ['errored', 'bad'],
]);

function lookupsPart({ look_ups: lookups }: SupplyPointView, now: Date): Html {
  if (lookups.length === 0) return html``;
  const heads = ['Customer authorization', 'State', 'Reason', 'Attempts', 'Last failure', 'Next attempt', 'Ended'];
  const rows = lookups.map(
    (one) =>
      html`<tr>
        <td>${one.customer_authorisation ? 'with' : 'without'}</td>
        <td>${badge(one.state, TONES.get(one.state) ?? 'plain')}</td>
        <td><code>${one.errored_reason}</code></td>
        <td class="number">${one.tries}</td>
        <td><code>${one.last_failure}</code></td>
        <td>${fromNow(one.next_attempt_at, now)}</td>
        <td>${fromNow(one.ended_at, now)}</td>
      </tr>`,
  );
  return html`<h2>Lookups</h2>
    ${table('Lookups of this point', heads, rows)}`;
}

function accountsPart({ accounts }: SupplyPointView): Html {
  const rows = accounts.map(
    ({ import_supplier: supplier, external_account_number: external, service_account_number: number }) =>
      html`<tr>
        <td>
          <a href="${accountPath(supplier, external)}"><code>${supplier}/${external}</code></a>
        </td>
        <td><code>${number}</code></td>
      </tr>`,
  );
  return html`<h2>Accounts</h2>
    ${rows.length === 0 ? nothing('No account has this supply point.') : table('Accounts with this point', ['Account', 'Service account number'], rows)}`;
}
