import type { EntityManager } from '@mikro-orm/postgresql';
import { validate as isUuid } from 'uuid';
import { recordAudit, type Actor } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { newSecret, type EndpointWithSecret } from './create-event-endpoint.route.ts';
import { viewOfEndpoint } from './event-endpoint-view.rules.ts';
import {
  changeEventEndpointSchema,
  type ChangeEventEndpoint,
  type EventEndpointView,
} from './event-endpoint.schema.ts';
import { changeSecret, endEndpoint, type EndpointRecord } from './event-endpoint.store.ts';
import { changeEventEndpointSecretOpenApi, deleteEventEndpointOpenApi } from './event-endpoints.openapi.ts';

const checkBody = compileOperatorBody<ChangeEventEndpoint>(changeEventEndpointSchema);

/** `POST event-endpoints/<id>/secret/`: gives an endpoint a new secret; the one before signs beside it for a day. */
export const changeEventEndpointSecret = (deps: { database: Database }): Route => ({
  method: 'POST',
  path: '/v1/operations/event-endpoints/:endpoint/secret',
  access: 'operator',
  action: 'event-endpoint.change',
  openApi: changeEventEndpointSecretOpenApi,
  bodyLimitBytes: 65_536,
  bodyIsOptional: true,
  handle: async ({ params, body, caller }) => {
    const changed = await changeAuditedSecret(deps, caller, params['endpoint'] ?? '', body === undefined ? {} : body);
    return isRefused(changed) ? changed : { status: 201, body: changed };
  },
});

/** `DELETE event-endpoints/<id>/`: ends an endpoint. What is under way at this moment may still arrive. */
export const deleteEventEndpoint = (deps: { database: Database }): Route => ({
  method: 'DELETE',
  path: '/v1/operations/event-endpoints/:endpoint',
  access: 'operator',
  action: 'event-endpoint.change',
  openApi: deleteEventEndpointOpenApi,
  bodyLimitBytes: 65_536,
  bodyIsOptional: true,
  handle: async ({ params, body, caller }) => {
    const ended = await endAuditedEndpoint(deps, caller, params['endpoint'] ?? '', body === undefined ? {} : body);
    return isRefused(ended) ? ended : { status: 200, body: ended };
  },
});

/**
 * Gives an endpoint a new secret; both sign for a day.
 * @param body as the API takes it
 * @returns the endpoint with the new secret, which nothing shows again; a refusal of the body, or where there is none
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

/** Ends an endpoint. @returns it as it is then; a refusal of the body, or where there is none that takes events */
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
  apply: (em: EntityManager) => Promise<EndpointRecord | undefined>,
): Promise<EventEndpointView | Refused> {
  const sent = checkBody(body);
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
