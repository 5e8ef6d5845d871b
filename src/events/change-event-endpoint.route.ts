import type { EntityManager } from '@mikro-orm/postgresql';
import { validate as isUuid } from 'uuid';
import { recordAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { AuthenticatedRequest, Reply, Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { newSecret } from './create-event-endpoint.route.ts';
import { viewOfEndpoint } from './event-endpoint-view.rules.ts';
import { changeEventEndpointSchema, type ChangeEventEndpoint } from './event-endpoint.schema.ts';
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
  handle: (request) => {
    const secret = newSecret();
    return change(deps.database, request, {
      action: 'event_endpoint.secret_changed',
      status: 201,
      change: (em, id) => changeSecret(em, id, secret),
      more: { secret },
    });
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
  handle: (request) =>
    change(deps.database, request, {
      action: 'event_endpoint.removed',
      status: 200,
      change: (em, id) => endEndpoint(em, id, 'removed'),
      more: {},
    }),
});

interface EndpointChange {
  /** As the audit calls it. */
  action: string;
  status: 200 | 201;
  /** Undefined when there is no such endpoint that takes events. */
  change(em: EntityManager, id: string): Promise<EndpointRecord | undefined>;
  /** Beside the endpoint in the answer, and not in the audit. */
  more: object;
}

async function change(
  database: Database,
  { params, body, caller }: Pick<AuthenticatedRequest, 'params' | 'body' | 'caller'>,
  { action, status, change: apply, more }: EndpointChange,
): Promise<Reply | Refused> {
  const sent = checkBody(body ?? {});
  if (isRefused(sent)) return sent;
  const id = params['endpoint'] ?? '';
  const record = !isUuid(id)
    ? undefined
    : await database.transaction(async (em) => {
        const changed = await apply(em, id);
        if (changed !== undefined) {
          await recordAudit(em, caller, {
            action,
            subject: `event-endpoints/${id}`,
            after: viewOfEndpoint(changed),
            reason: sent.reason,
          });
        }
        return changed;
      });
  if (record === undefined) {
    return refuse('not_found', { detail: 'There is no endpoint with this id, or it has ended.' });
  }
  return { status, body: { ...viewOfEndpoint(record), ...more } };
}
