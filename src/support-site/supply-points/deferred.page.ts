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
import { addressOf } from '../frame/address.ts';
import { badge, count, fromNow, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { markCell, markedForm, nextPage } from '../frame/list-parts.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { pointPath, deferredPath, SUPPLY_POINTS } from './paths.ts';
import { numberIn, orderOf, type SteeringDeps } from './steering.ts';

const PATH = `${SUPPLY_POINTS}/deferred/:operator`;

/** What a network operator keeps failing on: listed, and asked again as marked. */
export function deferredPages(deps: SteeringDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', show: (request) => showDeferred(deps, request) },
    {
      method: 'POST',
      path: `${PATH}/retry`,
      action: 'population-batch.steer',
      show: (request) => retryMarked(deps, request),
    },
  ];
}

async function showDeferred(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { operator: name } = request.params;
  if (!isNetworkOperator(name)) return unknownNetworkOperator();
  const page = await listDeferredLookups(deps.database, name, request.query.get('cursor'));
  if (isRefused(page)) return page;
  const body = html`<p class="fine">
      Identifiers that the network operator fails on while it answers others. They are asked for again by themselves,
      each hour for as long as they may take.
    </p>
    ${page.look_ups.length === 0 ? nothing('Nothing is deferred.') : listPart(page, request, name, deps.clock.now())}
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
  const heads = ['Identifier', 'Tries', 'Last failure', 'Since', 'Next try', ''];
  const label = 'Deferred identifiers, in the order of their next try';
  if (!mayRetry) return table(label, heads, rows);
  const button = html`<button>Ask again for what is marked</button>`;
  return markedForm(request, { action: `${deferredPath(name)}/retry`, name: 'identifier', label, heads, rows, button });
}

function rowOf(one: DeferredLookupView, { mayRetry, name, now }: { mayRetry: boolean; name: string; now: Date }): Html {
  return html`<tr>
    ${mayRetry && markCell('identifier', one.identifier, one.identifier)}
    <td>
      <a href="${pointPath(name, one.identifier)}"><code>${one.identifier}</code></a>
    </td>
    <td class="number">${one.tries}</td>
    <td><code>${one.last_failure}</code></td>
    <td>${fromNow(one.set_aside_at, now)}</td>
    <td>${fromNow(one.next_attempt_at, now)}</td>
    <td>
      ${one.customer_authorisation && badge('with authorisation')} ${!one.wanted && badge('no batch waits for it')}
    </td>
  </tr>`;
}

async function retryMarked(deps: SteeringDeps, request: PageRequest): Promise<PageAnswer> {
  const redirect = deferredPath(request.params['operator'] ?? '');
  const identifiers = request.form.getAll('identifier');
  if (identifiers.length === 0) return { redirect, flash: { kind: 'problem', text: 'Nothing was marked.' } };
  const body = { identifiers, reason: request.form.get('reason') ?? '' };
  const done = await retryLookups(deps, { ...orderOf(request), body });
  if (isRefused(done)) return done;
  return { redirect, flash: { kind: 'done', text: `${count(numberIn(done, 'retried'))} are asked for again.` } };
}
