import { validate as isUuid } from 'uuid';
import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { refuse } from '../vocabulary/refusals.ts';
import { revokeApiKeyOpenApi } from './api-key.openapi.ts';
import { endApiKey } from './api-key.store.ts';
import { recordAudit } from './audit-entry.store.ts';

/** `DELETE api-keys/<id>/`: revokes a key; its tokens end within a second. Revoked already, it is answered the same. */
export const revokeApiKey = (deps: { database: Database }): Route => ({
  method: 'DELETE',
  path: '/v1/operations/api-keys/:id',
  access: 'operator',
  action: 'change',
  openApi: revokeApiKeyOpenApi,
  handle: async ({ params, caller }) => {
    const id = params['id'] ?? '';
    const revoked = !isUuid(id)
      ? undefined
      : await deps.database.transaction(async (em) => {
          const done = await endApiKey(em, id);
          if (done !== undefined && done !== 'last') {
            await recordAudit(em, caller, { action: 'api_key.revoked', subject: `api-keys/${done.after.id}`, ...done });
          }
          return done;
        });
    if (revoked === 'last') return refuse('last_operator_key');
    return revoked === undefined
      ? refuse('not_found', { detail: 'There is no API key with this id.' })
      : { status: 200, body: revoked.after };
  },
});
