import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../platform/database/database.ts';
import type { Actor, Route } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import { createApiKeyOpenApi } from './api-key.openapi.ts';
import { createApiKeySchema, type CreateApiKey } from './api-key.schema.ts';
import { findKeyViolations } from './api-key.rules.ts';
import { issueApiKey } from './api-key.store.ts';
import { recordAudit } from '../audit/audit-entry.store.ts';

const checkBody = compileOperatorBody<CreateApiKey>(createApiKeySchema, findKeyViolations);

/** A new key; `api_key` is shown this once. */
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
 * Validates the request, issues the key and writes the audit row; shared by the route, the command `key create` and the
 * support site.
 * @param id of the key to be; a second one with the same id is refused, so that a form that is sent twice makes one key
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
        detail: 'This was sent before, and its key was shown then. If you do not have it, revoke it and issue another.',
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
