import { randomBytes } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { recordAudit, type Actor } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import type { Settings } from '../platform/settings.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { findUrlViolations } from './event-endpoint.rules.ts';
import {
  createEventEndpointSchema,
  type CreateEventEndpoint,
  type EventEndpointView,
} from './event-endpoint.schema.ts';
import { findUnknownNames, insertEndpoint } from './event-endpoint.store.ts';
import { viewOfEndpoint } from './event-endpoint-view.rules.ts';
import { createEventEndpointOpenApi } from './event-endpoints.openapi.ts';

interface CreateDeps {
  database: Database;
  settings: Pick<Settings, 'WEBHOOK_PRIVATE_ADDRESSES'>;
}

const checkBody = compileOperatorBody<CreateEventEndpoint>(createEventEndpointSchema);

const SECRET_BYTES = 32;

/** A secret in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/** `POST event-endpoints/`: has the events of an import supplier delivered to an address from now on. */
export const createEventEndpoint = (deps: CreateDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/event-endpoints',
  access: 'operator',
  action: 'event-endpoint.change',
  openApi: createEventEndpointOpenApi,
  bodyLimitBytes: 65_536,
  handle: async ({ body, caller }) => {
    const created = await createAuditedEndpoint(deps, caller, body);
    return isRefused(created) ? created : { status: 201, body: created };
  },
});

/** An endpoint with its secret, which is not shown again. After the creation the query of the address is not shown either. */
export type EndpointWithSecret = EventEndpointView & { secret: string };

/**
 * Has the events of an import supplier delivered to an address from now on.
 * @param body as the API takes it
 * @param id of a form, so that one that is sent twice registers one
 * @returns a refusal of the body, of names that are not known, of the address, or of an id that is there
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
      return refuse('validation_failed', { detail: 'It was registered already, and its secret was shown then.' });
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
