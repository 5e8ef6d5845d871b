import { recordAudit, type Actor } from '../../access/index.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { putConcurrencyLimitOpenApi } from './concurrency-limit.openapi.ts';
import {
  putConcurrencyLimitSchema,
  type ConcurrencyLimitView,
  type PutConcurrencyLimit,
} from './concurrency-limit.schema.ts';
import { changeConcurrencyLimit, findConcurrencyLimit, type ConcurrencyLimitWatch } from './concurrency-limit.store.ts';

const SUBJECT = 'settings/create-account-concurrency-limit';
const checkBody = compileOperatorBody<PutConcurrencyLimit>(putConcurrencyLimitSchema);

/** `PUT settings/create-account-concurrency-limit/`: limits how many accounts are created at once. */
export const putConcurrencyLimit = (deps: { database: Database; limit: ConcurrencyLimitWatch }): Route => ({
  method: 'PUT',
  path: `/v1/operations/${SUBJECT}`,
  access: 'operator',
  action: 'concurrency-limit.set',
  openApi: putConcurrencyLimitOpenApi,
  bodyLimitBytes: 16_384,
  handle: async ({ body, caller }) => {
    const view = await setAuditedLimit(deps, caller, body);
    if (isRefused(view)) return view;
    deps.limit.forget();
    return { status: 200, body: view };
  },
});

/** Sets the limit, with its row of the audit. Other processes obey it within a second. */
export async function setAuditedLimit(
  deps: { database: Database },
  actor: Actor,
  wanted: unknown,
): Promise<ConcurrencyLimitView | Refused> {
  const sent = checkBody(wanted);
  if (isRefused(sent)) return sent;
  return deps.database.transaction(async (em) => {
    const change = await changeConcurrencyLimit(em, sent);
    await recordAudit(em, actor, {
      action: 'concurrency_limit.changed',
      subject: SUBJECT,
      ...change,
      reason: sent.reason,
    });
    return findConcurrencyLimit(em);
  });
}
