import { EVENTS, FEED, endpointPath } from '../frame/paths.ts';
import { workflowIds } from '../../../temporal.config.ts';
import { findAuditOf } from '../../access/index.ts';
import { changeAuditedSecret, endAuditedEndpoint, readEndpoint } from '../../events/index.ts';
import { isTemporalAway } from '../../platform/temporal/temporal-faults.ts';
import { retrySelected } from '../../stuck/index.ts';
import { stuckIds } from '../../stuck/stuck-id.rules.ts';
import { isRefused, refuse } from '../../vocabulary/refusals.ts';
import { linkAway } from '../frame/elements.ts';
import { html, type Html } from '../frame/html.ts';
import { auditTable } from '../frame/list-parts.ts';
import type { Page, PageAnswer, PageRequest, SiteDeps } from '../frame/page.ts';
import { actionsPart, factsPart, secretBody } from './endpoint-parts.ts';

const PATH = `${EVENTS}/endpoints/:endpoint`;
const AUDIT_SHOWN = 20;
/** Stuck items that are searched for the endpoint. */
const STUCK_READ = 2_000;

/** The page of an endpoint with the forms that change it. */
export function endpointPages(deps: SiteDeps): Page[] {
  return [
    { method: 'GET', path: PATH, action: 'look', show: (request) => showEndpoint(deps, request) },
    {
      method: 'POST',
      path: `${PATH}/secret`,
      action: 'event-endpoint.change',
      show: (request) => changeSecret(deps, request),
    },
    {
      method: 'POST',
      path: `${PATH}/remove`,
      action: 'event-endpoint.change',
      show: (request) => remove(deps, request),
    },
    { method: 'POST', path: `${PATH}/retry`, action: 'stuck.retry', show: (request) => retry(deps, request) },
  ];
}

const idOf = ({ params }: PageRequest) => params['endpoint'] ?? '';

async function showEndpoint(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const id = idOf(request);
  const endpoint = await readEndpoint(deps, id);
  if (isRefused(endpoint)) return endpoint;
  const audit = await findAuditOf(deps.database.em(), [`event-endpoints/${id}`], AUDIT_SHOWN);
  const isFailing = endpoint.failing_since !== null;
  const nextTry = isFailing ? await findNextTry(deps, id) : undefined;
  const run = deps.runAddress(workflowIds.deliverEvents(id));
  const feed = `${FEED}?${new URLSearchParams({ import_supplier: endpoint.import_supplier })}`;
  const body = html`<p><a href="${EVENTS}">All endpoints</a></p>
    ${factsPart(endpoint, nextTry, deps.clock.now())}
    ${isFailing && request.may('stuck.retry') && retryForm(id, request)}
    <p>
      <a href="${feed}">Events of ${endpoint.import_supplier}</a>
      ${isFailing && linkAway(run, `Run in Temporal's web UI`, '')}
    </p>
    ${endpoint.ended_at === null && request.may('event-endpoint.change') && actionsPart(endpoint, request)}
    ${
      audit.length > 0 &&
      html`<h2>Audit</h2>
        ${auditTable('Audit of this endpoint', audit)}`
    }`;
  return { title: `Events of ${endpoint.import_supplier}`, body };
}

/** Undefined while Temporal is unavailable, and without a run. */
async function findNextTry({ stuck }: SiteDeps, id: string): Promise<string | null | undefined> {
  try {
    const { stuck: pending } = await stuck.list({ pageSize: STUCK_READ });
    return pending.find(({ endpoint_id: endpoint }) => endpoint === id)?.next_attempt_at;
  } catch (error) {
    if (isTemporalAway(error)) return undefined;
    throw error;
  }
}

function retryForm(id: string, { formToken }: PageRequest): Html {
  return html`<form class="row" method="post" action="${endpointPath(id)}/retry">
    ${formToken}<button>Retry now</button>
    <span class="fine">Deliveries are also retried automatically, for as long as the events are kept.</span>
  </form>`;
}

async function retry(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const { actor, log, hungUp } = request;
  const id = idOf(request);
  const done = await retrySelected(deps, { actor, log }, [stuckIds.of(workflowIds.deliverEvents(id))], hungUp());
  if (isRefused(done)) return done;
  const text = done.gone === undefined ? 'The delivery is retried now.' : 'No event is waiting for delivery.';
  return { redirect: endpointPath(id), flash: { kind: 'done', text } };
}

const reasonIn = ({ form }: PageRequest) => {
  const reason = form.get('reason') ?? '';
  return reason === '' ? {} : { reason };
};

/** Rejects a form that is sent twice: it would end the secret that the supplier uses. */
async function changeSecret(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const id = idOf(request);
  const endpoint = await readEndpoint(deps, id);
  if (isRefused(endpoint)) return endpoint;
  if ((endpoint.old_secret_until ?? '') !== (request.form.get('seen') ?? '')) {
    const detail =
      'Someone else has changed the secret since this page was loaded. Reload the page to see until when the previous secret signs.';
    return refuse('validation_failed', { detail });
  }
  const changed = await changeAuditedSecret(deps, request.actor, id, reasonIn(request));
  return isRefused(changed) ? changed : { title: 'Events', body: secretBody(changed) };
}

async function remove(deps: SiteDeps, request: PageRequest): Promise<PageAnswer> {
  const done = await endAuditedEndpoint(deps, request.actor, idOf(request), reasonIn(request));
  return isRefused(done) ? done : { redirect: EVENTS, flash: { kind: 'done', text: 'The endpoint was removed.' } };
}
