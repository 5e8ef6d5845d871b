import type { EntityManager } from '@mikro-orm/postgresql';
import { validate as isUuid } from 'uuid';
import type { Database } from '../../platform/database/database.ts';
import type { Actor, Route } from '../../platform/http/route.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { revokeApiKeyOpenApi } from './api-key.openapi.ts';
import type { ApiKeyView } from './api-key.schema.ts';
import { endApiKey } from './api-key.store.ts';
import { recordAudit } from '../audit/audit-entry.store.ts';

interface RevokeDeps {
  database: Database;
  /** What ends with a key, in the transaction that revokes it. */
  onKeyRevoked(em: EntityManager, actor: Actor, keyId: string): Promise<void>;
}

/** `DELETE api-keys/<id>/`: revokes a key; its tokens end within a second. Revoked already, it is answered the same. */
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
 * Revokes a key and writes the audit row.
 * @returns the key as it is then; a refusal for a key that is not there, and for the last one that could issue another
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
