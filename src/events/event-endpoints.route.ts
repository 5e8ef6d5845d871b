import type { EntityManager } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import { Type } from 'typebox';
import { v7 as uuidv7, validate as isUuid } from 'uuid';
import { type Actor, recordAudit } from '../access/index.ts';
import { findUrlViolations, viewOfEndpoint } from './event.rules.ts';
import {
  type ChangeEventEndpoint,
  type CreateEventEndpoint,
  type EndpointWithSecret,
  type EndpointWithWaiting,
  type EventEndpointView,
  changeEventEndpointSchema,
  createEventEndpointSchema,
  endpointWithSecretSchema,
  endpointWithWaitingSchema,
  eventEndpointSchema,
  EXAMPLE_ENDPOINT,
} from './event-endpoint.schema.ts';
import {
  changeSecret,
  countWaiting,
  endEndpoint,
  findEndpoint,
  findUnknownNames,
  insertEndpoint,
  listEndpoints,
} from './event-endpoint.store.ts';
import type { EventEndpoint } from './event.entity.ts';
import type { Database } from '../platform/database/database.ts';
import { operatorRead, replyWith, type AuthenticatedRequest, type Route, type Viewer } from '../platform/http/route.ts';
import type { RouteOpenApi } from '../platform/http/route-openapi.ts';
import type { Settings } from '../platform/settings.ts';
import { compileOperatorBody } from '../platform/validation/compile-payload.ts';
import { type Refused, isRefused, refuse } from '../vocabulary/refusals.ts';

interface CreateDeps {
  database: Database;
  settings: Pick<Settings, 'WEBHOOK_PRIVATE_ADDRESSES'>;
}

const PATH = '/v1/operations/event-endpoints';
const DOCS = 'docs/operators/suppliers-and-options.md#addresses-for-events';
const CHANGE = { access: 'operator', action: 'event-endpoint.change', bodyLimitBytes: 65_536 } as const;

const createOpenApi: RouteOpenApi = {
  operationId: 'createEventEndpoint',
  summary: 'Register an endpoint for the events of an import supplier',
  description:
    'Delivers events from now on, according to Standard Webhooks. The secret is shown only once. Events of import jobs and batches are included for the named organisation, if any.',
  page: DOCS,
  request: createEventEndpointSchema,
  rules: { import_supplier: ['invalid_choice'], organisation: ['invalid_choice'], url: ['invalid'] },
  requestExamples: {
    endpoint: {
      import_supplier: 'SUPPLIER_FR',
      url: 'https://hooks.boreal.example/gangway',
      organisation: 'Boréal Énergie',
    },
  },
  replies: { 201: { description: 'The endpoint.', schema: endpointWithSecretSchema } },
};

/** What the routes of one endpoint have in common. */
const ofEndpoint = {
  page: DOCS,
  path: { endpoint: { description: 'The `endpoint_id`.', example: EXAMPLE_ENDPOINT } },
  refusals: ['not_found'],
} as const;
const ofChange = {
  ...ofEndpoint,
  request: changeEventEndpointSchema,
  requestExamples: { with_a_reason: { reason: 'Requested by the supplier' } },
};

const readRoutes = (deps: { database: Database }): Route[] => [
  operatorRead({
    path: PATH,
    openApi: {
      operationId: 'listEventEndpoints',
      summary: 'List endpoints with their delivery status',
      page: DOCS,
      replies: {
        200: {
          description: 'All endpoints without their secrets, ended ones last.',
          schema: Type.Array(eventEndpointSchema),
        },
      },
    },
    handle: async () => replyWith(await readEndpoints(deps)),
  }),
  operatorRead({
    path: `${PATH}/:endpoint`,
    openApi: {
      ...ofEndpoint,
      operationId: 'findEventEndpoint',
      summary: 'Show an endpoint with its pending events',
      replies: { 200: { description: 'The endpoint. It may have ended.', schema: endpointWithWaitingSchema } },
    },
    handle: async ({ params }) => replyWith(await readEndpoint(deps, params['endpoint']!)),
  }),
];

/** The routes for endpoints to which events of an import supplier are delivered. */
export const eventEndpointRoutes = (deps: CreateDeps): Route[] => [
  {
    ...CHANGE,
    method: 'POST',
    path: PATH,
    openApi: createOpenApi,
    handle: async ({ body, caller }: AuthenticatedRequest) =>
      replyWith(await createAuditedEndpoint(deps, caller, body), 201),
  },
  ...readRoutes(deps),
  {
    ...CHANGE,
    method: 'POST',
    path: `${PATH}/:endpoint/secret`,
    openApi: {
      ...ofChange,
      operationId: 'changeEventEndpointSecret',
      summary: 'Create a new secret for an endpoint',
      description: 'Both secrets sign for 24 hours. The new one is shown only once.',
      replies: { 201: { description: 'The endpoint.', schema: endpointWithSecretSchema } },
    },
    bodyIsOptional: true,
    handle: async ({ params, body, caller }: AuthenticatedRequest) =>
      replyWith(await changeAuditedSecret(deps, caller, params['endpoint']!, body), 201),
  },
  {
    ...CHANGE,
    method: 'DELETE',
    path: `${PATH}/:endpoint`,
    openApi: {
      ...ofChange,
      operationId: 'deleteEventEndpoint',
      summary: 'Remove an endpoint',
      description: 'Deliveries to it end. The supplier can still read its events.',
      replies: { 200: { description: 'The ended endpoint.', schema: eventEndpointSchema } },
    },
    bodyIsOptional: true,
    handle: async ({ params, body, caller }: AuthenticatedRequest) =>
      replyWith(await endAuditedEndpoint(deps, caller, params['endpoint']!, body)),
  },
];

const checkBody = compileOperatorBody<CreateEventEndpoint>(createEventEndpointSchema);

const SECRET_BYTES = 32;

/** A secret in the form of Standard Webhooks. */
function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * Creates an endpoint that receives the events of an import supplier from now on, and records it in the audit.
 * @param body as in the API
 * @param id chosen by a form, so that a form that is sent twice creates one endpoint
 * @returns a refusal if the body, a name or the address is invalid, or if the id exists
 */
export async function createAuditedEndpoint(
  { database, settings }: CreateDeps,
  actor: Actor,
  body: unknown,
  id: string = uuidv7(),
): Promise<EndpointWithSecret | Refused> {
  const sent = checkBody(body);
  if (isRefused(sent)) return sent;
  const violations = findUrlViolations(sent.url, settings.WEBHOOK_PRIVATE_ADDRESSES);
  if (violations.length > 0) return refuse('validation_failed', { violations });
  const secret = newSecret();
  const organisation = sent.organisation || null;
  return database.transaction(async (em) => {
    const unknown = await findUnknownNames(em, sent.import_supplier, organisation);
    if (unknown.length > 0) return refuse('validation_failed', { violations: unknown });
    const wanted = { id, importSupplier: sent.import_supplier, organisation, url: sent.url, secret };
    const record = await insertEndpoint(em, wanted);
    if (record === undefined) {
      return refuse('validation_failed', {
        detail: 'The endpoint is already registered, and its secret was shown then.',
      });
    }
    const view = viewOfEndpoint(record);
    await recordAudit(em, actor, {
      action: 'event_endpoint.created',
      subject: `event-endpoints/${view.endpoint_id}`,
      after: view,
      reason: sent.reason,
    });
    return { ...view, url: sent.url, secret };
  });
}

const checkChange = compileOperatorBody<ChangeEventEndpoint>(changeEventEndpointSchema);

/**
 * Changes the secret of an endpoint; both secrets sign for a day.
 * @param body as in the API
 * @returns the endpoint with the new secret, which is shown only here; a refusal if the body is invalid or the endpoint unknown
 */
export async function changeAuditedSecret(
  { database }: { database: Database },
  actor: Actor,
  id: string,
  body: unknown,
): Promise<EndpointWithSecret | Refused> {
  const secret = newSecret();
  const changed = await change(database, { actor, id, body }, 'event_endpoint.secret_changed', (em) =>
    changeSecret(em, id, secret),
  );
  return isRefused(changed) ? changed : { ...changed, secret };
}

/** Ends an endpoint. @returns its last state; a refusal if the body is invalid, or the endpoint unknown or ended */
export function endAuditedEndpoint(
  { database }: { database: Database },
  actor: Actor,
  id: string,
  body: unknown,
): Promise<EventEndpointView | Refused> {
  return change(database, { actor, id, body }, 'event_endpoint.removed', (em) => endEndpoint(em, id, 'removed'));
}

async function change(
  database: Database,
  { actor, id, body }: { actor: Actor; id: string; body: unknown },
  action: string,
  apply: (em: EntityManager) => Promise<EventEndpoint | undefined>,
): Promise<EventEndpointView | Refused> {
  const sent = checkChange(body === undefined ? {} : body);
  if (isRefused(sent)) return sent;
  const record = !isUuid(id)
    ? undefined
    : await database.transaction(async (em) => {
        const changed = await apply(em);
        if (changed !== undefined) {
          await recordAudit(em, actor, {
            action,
            subject: `event-endpoints/${id}`,
            after: viewOfEndpoint(changed),
            reason: sent.reason,
          });
        }
        return changed;
      });
  return record === undefined
    ? refuse('not_found', { detail: 'There is no endpoint with this id, or it has ended.' })
    : viewOfEndpoint(record);
}

/** All endpoints that a viewer may see; ended ones come last. @param viewer undefined for operators, who see all */
export async function readEndpoints(
  { database }: { database: Database },
  viewer?: Viewer,
): Promise<EventEndpointView[]> {
  return (await listEndpoints(database)).filter((one) => isVisible(one, viewer)).map(viewOfEndpoint);
}

function isVisible({ importSupplier, organisation }: EventEndpoint, viewer: Viewer | undefined): boolean {
  if (viewer === undefined) return true;
  const isOfOther = viewer.organisation !== undefined && organisation && organisation !== viewer.organisation;
  return viewer.importSuppliers.has(importSupplier) && !isOfOther;
}

/** Reads one endpoint. @param viewer undefined for operators, who see all @returns a refusal if it does not exist */
export async function readEndpoint(
  { database }: { database: Database },
  id: string,
  viewer?: Viewer,
): Promise<EndpointWithWaiting | Refused> {
  const record = isUuid(id) ? await findEndpoint(database, id) : undefined;
  const isShown = record !== undefined && isVisible(record, viewer);
  if (!isShown) return refuse('not_found', { detail: 'There is no endpoint with this id.' });
  const waiting = record.endedAt === null ? await countWaiting(database, record) : { count: 0, since: null };
  return {
    ...viewOfEndpoint(record),
    events_waiting: waiting.count,
    waiting_since: waiting.since?.toISOString() ?? null,
  };
}
