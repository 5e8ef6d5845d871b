import { EVENTS, endpointPath } from '../frame/paths.ts';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { createAuditedEndpoint, readEndpoints } from '../../events/index.ts';
import type { EventEndpointView } from '../../events/event-endpoint.schema.ts';
import { createSupplierDirectory, supplierCodes } from '../../suppliers/index.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { fromNow, moment, nothing, table } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { filledIn } from '../frame/form-checks.ts';
import { optionsOf, reasonField } from '../frame/list-parts.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { endpointPages } from './endpoint.page.ts';
import { endpointBadge, secretBody } from './endpoint-parts.ts';
import { eventTabs } from './event-parts.ts';
import { feedPage } from './feed.page.ts';

/** Events: the endpoints that receive them, and the events themselves. */
export function eventPages(deps: SiteDeps): Page[] {
  const suppliers = createSupplierDirectory(deps);
  return [
    {
      method: 'GET',
      path: EVENTS,
      action: 'look',
      menu: 'Events',
      show: async (request) => {
        const endpoints = await readEndpoints(deps);
        const codes = await supplierCodes(suppliers);
        const body = html`${eventTabs(EVENTS)} ${listPart(endpoints, request, deps)}
        ${request.may('event-endpoint.change') && newForm(request, codes)}`;
        return { title: 'Events', body };
      },
    },
    {
      method: 'POST',
      path: `${EVENTS}/endpoints`,
      action: 'event-endpoint.change',
      show: (request) => create(deps, request),
    },
    feedPage(deps, suppliers),
    ...endpointPages(deps),
  ];
}

function listPart(endpoints: readonly EventEndpointView[], { query }: PageRequest, { clock }: SiteDeps): Html {
  const now = clock.now();
  const supplier = query.get('import_supplier');
  const shown = supplier ? endpoints.filter((one) => one.import_supplier === supplier) : endpoints;
  if (shown.length === 0) return nothing('No endpoint is registered. Suppliers can read their events from the API.');
  const rows = shown.map(
    (one) =>
      html`<tr>
        <td>${one.import_supplier}<br /><small>${one.organisation}</small></td>
        <td>
          <a href="${endpointPath(one.endpoint_id)}"><code>${one.url}</code></a>
        </td>
        <td>${endpointBadge(one)}</td>
        <td>${one.delivered_at === null ? 'never' : fromNow(one.delivered_at, now)}</td>
        <td>${one.failing_since !== null && fromNow(one.failing_since, now)}</td>
        <td class="advice">${one.failure}</td>
        <td>${moment(one.created_at)}</td>
      </tr>`,
  );
  const heads = ['Import supplier', 'URL', 'State', 'Last success', 'Failing since', 'Last failure', 'Registered'];
  return table('Endpoints that receive events', heads, rows);
}

function newForm({ formToken }: PageRequest, codes: readonly string[]): Html {
  return html`<h2>Register an endpoint</h2>
    <form class="narrow" method="post" action="${EVENTS}/endpoints">
      ${formToken}<input type="hidden" name="id" value="${uuidv7()}" />
      <label for="endpoint-supplier">Import supplier</label>
      <select id="endpoint-supplier" name="import_supplier" required>
        <option value="">–</option>
        ${optionsOf(codes, null)}
      </select>
      <label for="endpoint-url">URL (starts with https://)</label>
      <input id="endpoint-url" name="url" maxlength="2048" inputmode="url" required />
      <label for="endpoint-organisation"
        >Organization whose import jobs and batches are included (leave empty for none)</label
      >
      <input id="endpoint-organisation" name="organisation" maxlength="255" />
      ${reasonField('endpoint-reason')}
      <p class="fine">Events from now on are delivered. The secret that signs them is shown once.</p>
      <button>Register</button>
    </form>`;
}

/** Only the response to this form shows the secret. */
async function create(deps: SiteDeps, { form, actor }: PageRequest): Promise<PageAnswer> {
  const id = form.get('id') ?? '';
  if (!isUuid(id)) return refuse('validation_failed', { detail: 'Reload the Events page and fill in the form again.' });
  const body = filledIn(form, ['import_supplier', 'url', 'organisation', 'reason']);
  const made = await createAuditedEndpoint(deps, actor, body, id);
  return isRefused(made) ? made : { title: 'Events', body: secretBody(made) };
}
