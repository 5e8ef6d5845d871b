import {
  listDeferredLookups,
  retryLookups,
  type DeferredLookupPage,
  type DeferredLookupView,
} from '../../supply-points/index.ts';
import { unknownNetworkOperator } from '../../supply-points/throttle/throttle.rules.ts';
import {
  isNetworkOperator,
  networkOperatorTitles,
  type NetworkOperatorName,
} from '../../vocabulary/network-operators.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { addressOf, pointPath, deferredPath, SUPPLY_POINTS } from '../frame/paths.ts';
import { badge, fromNow, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { selectCell, selectionForm, nextPage } from '../frame/list-parts.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { identifiers, numberIn, orderOf, type SteeringDeps } from './steering.ts';

const PATH = `${SUPPLY_POINTS}/deferred/:operator`;

/** Identifiers that a network operator fails on, and the form that requests them again. */
export function deferredPages(deps: SteeringDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', show: (request) => showDeferred(deps, request) },
    {
      method: 'POST',
      path: `${PATH}/retry`,
      action: 'population-batch.steer',
      show: (request) => retrySelected(deps, request),
    },
  ];
}

async function showDeferred(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { operator: name } = request.params;
  if (!isNetworkOperator(name)) return unknownNetworkOperator();
  const page = await listDeferredLookups(deps.database, name, request.query.get('cursor'));
  if (isRefused(page)) return page;
  const body = html`<p class="fine">
      The network operator fails on these identifiers while it answers others. They are requested again every hour,
      until their time limit.
    </p>
    ${page.look_ups.length === 0 ? nothing('No identifier is deferred.') : listPart(page, request, name, deps.clock.now())}
    ${page.next_cursor !== null && nextPage(addressOf(deferredPath(name), { cursor: page.next_cursor }))}`;
  return { title: `Deferred at ${networkOperatorTitles[name]}`, body };
}

function listPart(
  { look_ups: lookups }: DeferredLookupPage,
  request: PageRequest,
  name: NetworkOperatorName,
  now: Date,
): Html {
  const mayRetry = request.may('population-batch.steer');
  const rows = lookups.map((one) => rowOf(one, { mayRetry, name, now }));
  const heads = ['Identifier', 'Attempts', 'Last failure', 'Deferred since', 'Next attempt', ''];
  const label = 'Deferred identifiers by next attempt';
  if (!mayRetry) return table(label, heads, rows);
  const button = html`<button>Request the selected identifiers again</button>`;
  return selectionForm(request, {
    action: `${deferredPath(name)}/retry`,
    name: 'identifier',
    label,
    heads,
    rows,
    button,
  });
}

function rowOf(one: DeferredLookupView, { mayRetry, name, now }: { mayRetry: boolean; name: string; now: Date }): Html {
  return html`<tr>
    ${mayRetry && selectCell('identifier', one.identifier, one.identifier)}
    <td>
      <a href="${pointPath(name, one.identifier)}"><code>${one.identifier}</code></a>
    </td>
    <td class="number">${one.tries}</td>
    <td><code>${one.last_failure}</code></td>
    <td>${fromNow(one.set_aside_at, now)}</td>
    <td>${fromNow(one.next_attempt_at, now)}</td>
    <td>
      ${one.customer_authorisation && badge('with customer authorization')} ${!one.wanted && badge('in no open batch')}
    </td>
  </tr>`;
}

async function retrySelected(deps: SteeringDeps, request: PageRequest): Promise<PageAnswer> {
  const redirect = deferredPath(request.params['operator'] ?? '');
  const selected = request.form.getAll('identifier');
  if (selected.length === 0) return { redirect, flash: { kind: 'problem', text: 'No identifier was selected.' } };
  const body = { identifiers: selected, reason: request.form.get('reason') ?? '' };
  const done = await retryLookups(deps, { ...orderOf(request), body });
  if (isRefused(done)) return done;
  return {
    redirect,
    flash: { kind: 'done', text: `${identifiers(numberIn(done, 'retried'))} will be requested again.` },
  };
}
