import type { Database } from '../platform/database/database.ts';
import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { createApiKeyOpenApi } from './api-key.openapi.ts';
import { createApiKeySchema, type CreateApiKey } from './api-key.schema.ts';
import { findKeyViolations } from './api-key.rules.ts';
import { issueApiKey } from './api-key.store.ts';
import { recordAudit, type Actor } from './audit-entry.store.ts';

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
  action: 'change',
  openApi: createApiKeyOpenApi,
  bodyLimitBytes: 65_536,
  handle: async ({ body, caller }) => {
    const created = await createAuditedApiKey(deps, caller, body);
    return isRefused(created) ? created : { status: 201, body: created };
  },
});

/** Checks what is wanted, issues the key and writes the audit row; shared by the route and the command `key create`. */
export async function createAuditedApiKey(
  deps: { database: Database },
  actor: Actor,
  wanted: unknown,
): Promise<CreatedApiKey | Refused> {
  const sent = checkBody(wanted);
  if (isRefused(sent)) return sent;
  return deps.database.transaction(async (em) => {
    const issued = await issueApiKey(em, sent);
    if (Array.isArray(issued)) return refuse('validation_failed', { violations: issued });
    await recordAudit(em, actor, {
      action: 'api_key.created',
      subject: `api-keys/${issued.view.id}`,
      after: issued.view,
      reason: sent.reason,
    });
    return { id: issued.view.id, api_key: issued.secret };
  });
}
