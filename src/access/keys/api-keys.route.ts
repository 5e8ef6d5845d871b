import { v7 as uuidv7, validate as isUuid } from 'uuid';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Type } from 'typebox';
import type { Database } from '../../platform/database/database.ts';
import { operatorRead, replyWith, type Actor, type Route } from '../../platform/http/route.ts';
import type { RouteOpenApi } from '../../platform/http/route-openapi.ts';
import { compileOperatorBody } from '../../platform/validation/compile-payload.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { recordAudit } from '../audit/audit-entry.store.ts';
import { findApiKeys, issueApiKey, endApiKey } from './api-key.store.ts';
import {
  apiKeyView,
  createApiKeySchema,
  createdApiKey,
  type ApiKeyView,
  type CreateApiKey,
  type CreatedApiKey,
} from './api-key.schema.ts';
import { findKeyViolations } from './api-key.rules.ts';

/** `GET api-keys/`: all keys, newest first, without their secrets. */
export const listApiKeys = (deps: { database: Database }): Route =>
  operatorRead({
    path: '/v1/operations/api-keys',
    openApi: {
      operationId: 'listApiKeys',
      summary: 'List the API keys',
      replies: {
        200: { description: 'All keys, newest first, without their secrets.', schema: Type.Array(apiKeyView) },
      },
    },
    handle: async () => replyWith(await findApiKeys(deps.database.em())),
  });

const checkBody = compileOperatorBody<CreateApiKey>(createApiKeySchema, findKeyViolations);

const createOpenApi: RouteOpenApi = {
  operationId: 'createApiKey',
  summary: 'Create an API key',
  description:
    'The key is shown only once. A key with the role `supplier` needs `import_suppliers`. `scope` restricts an operator key: `read` allows reading only, `approve` allows the same as `operate` and the approval of waves, `operate` allows all changes except those of keys, people, import suppliers, organisations, teams and the limit of creations, `market_messages` allows only sending market messages. After `expires_at` the key and its tokens are rejected.',
  request: createApiKeySchema,
  rules: {
    'import_suppliers.*': ['invalid_choice'],
    import_suppliers: ['invalid_choice', 'empty', 'invalid'],
    scope: ['invalid'],
    expires_at: ['invalid'],
  },
  requestExamples: {
    supplier: {
      organisation: 'Boréal Énergie',
      name: 'migration, autumn',
      role: 'supplier',
      import_suppliers: ['SUPPLIER_FR'],
    },
    operator: {
      organisation: 'Support',
      name: 'console',
      role: 'operator',
      scope: 'read',
      expires_at: '2099-12-31T00:00:00Z',
    },
  },
  replies: { 201: { description: 'The key.', schema: createdApiKey } },
};

/** `POST api-keys/`: issues a key. */
export const createApiKey = (deps: { database: Database }): Route => ({
  method: 'POST',
  path: '/v1/operations/api-keys',
  access: 'operator',
  action: 'api-key.change',
  openApi: createOpenApi,
  bodyLimitBytes: 65_536,
  handle: async ({ body, caller }) => replyWith(await createAuditedApiKey(deps, caller, body), 201),
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
  action: 'api-key.revoke',
  openApi: {
    operationId: 'revokeApiKey',
    summary: 'Revoke an API key',
    description:
      'Its tokens become invalid within a second, on every process. Revoking a key twice has the same response. The last active operator key with the scope `all` cannot be revoked.',
    path: { id: { description: 'Id of the key.', example: '0198c0de-0000-7000-8000-000000000002' } },
    replies: {
      200: { description: 'The revoked key.', schema: apiKeyView, example: { revoked_at: '2026-11-20T17:00:00.000Z' } },
    },
    refusals: ['not_found', 'last_operator_key'],
  },
  handle: async ({ params, caller }) => replyWith(await revokeAuditedApiKey(deps, caller, params['id'] ?? '')),
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
