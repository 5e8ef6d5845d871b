import { v7 as uuidv7, validate as isUuid } from 'uuid';
import type { EntityManager } from '@mikro-orm/postgresql';
import type { Database } from '../../platform/database/database.ts';
import type { Route, Actor } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { recordAudit } from '../audit/audit-entry.store.ts';
import { listApiKeysOpenApi, createApiKeyOpenApi, revokeApiKeyOpenApi } from './api-key.openapi.ts';
import { findApiKeys, issueApiKey, endApiKey } from './api-key.store.ts';
import { createApiKeySchema, type CreateApiKey, type ApiKeyView } from './api-key.schema.ts';
import { findKeyViolations } from './api-key.rules.ts';

/** `GET api-keys/`: all keys, newest first, without their secrets. */
export const listApiKeys = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/api-keys',
  access: 'operator',
  action: 'look',
  openApi: listApiKeysOpenApi,
  handle: async () => ({ status: 200, body: await findApiKeys(deps.database.em()) }),
});

const checkBody = compileOperatorBody<CreateApiKey>(createApiKeySchema, findKeyViolations);

/** A new key. `api_key` is shown only this once. */
export interface CreatedApiKey {
  id: string;
  api_key: string;
}

/** `POST api-keys/`: issues a key. */
export const createApiKey = (deps: { database: Database }): Route => ({
  method: 'POST',
  path: '/v1/operations/api-keys',
  access: 'operator',
  action: 'api-key.change',
  openApi: createApiKeyOpenApi,
  bodyLimitBytes: 65_536,
  handle: async ({ body, caller }) => {
    const created = await createAuditedApiKey(deps, caller, body);
    return isRefused(created) ? created : { status: 201, body: created };
  },
});

/**
 * Validates the request, issues the key and writes the audit entry. Used by the route, the command `key create` and the support site.
 * @param id of the new key. A second request with the same id is refused, so that a form submitted twice creates one key.
 */
export async function createAuditedApiKey(
  deps: { database: Database },
  actor: Actor,
  wanted: unknown,
  id: string = uuidv7(),
): Promise<CreatedApiKey | Refused> {
  const sent = checkBody(wanted);
  if (isRefused(sent)) return sent;
  return deps.database.transaction(async (em) => {
    const issued = await issueApiKey(em, sent, id);
    if (Array.isArray(issued)) return refuse('validation_failed', { violations: issued });
    if (issued === 'made before') {
      return refuse('validation_failed', {
        detail:
          'This form was already sent, and its key was shown then. If you do not have the key, revoke it and create another one.',
      });
    }
    await recordAudit(em, actor, {
      action: 'api_key.created',
      subject: `api-keys/${issued.view.id}`,
      after: issued.view,
      reason: sent.reason,
    });
    return { id: issued.view.id, api_key: issued.secret };
  });
}

interface RevokeDeps {
  database: Database;
  /** Pauses the import jobs of a key, in the transaction that revokes it. */
  onKeyRevoked(em: EntityManager, actor: Actor, keyId: string): Promise<void>;
}

/** `DELETE api-keys/<id>/`: revokes a key; its tokens end within a second. Idempotent. */
export const revokeApiKey = (deps: RevokeDeps): Route => ({
  method: 'DELETE',
  path: '/v1/operations/api-keys/:id',
  access: 'operator',
  action: 'api-key.change',
  openApi: revokeApiKeyOpenApi,
  handle: async ({ params, caller }) => {
    const revoked = await revokeAuditedApiKey(deps, caller, params['id'] ?? '');
    return isRefused(revoked) ? revoked : { status: 200, body: revoked };
  },
});

/**
 * Revokes a key and writes the audit entry.
 * @returns the revoked key, or a refusal if it does not exist or is the last key that can issue keys
 */
export async function revokeAuditedApiKey(deps: RevokeDeps, actor: Actor, id: string): Promise<ApiKeyView | Refused> {
  const revoked = !isUuid(id)
    ? undefined
    : await deps.database.transaction(async (em) => {
        const done = await endApiKey(em, id);
        if (done !== undefined && done !== 'last') {
          await deps.onKeyRevoked(em, actor, done.after.id);
          await recordAudit(em, actor, { action: 'api_key.revoked', subject: `api-keys/${done.after.id}`, ...done });
        }
        return done;
      });
  if (revoked === 'last') return refuse('last_operator_key');
  return revoked?.after ?? refuse('not_found', { detail: 'There is no API key with this id.' });
}
