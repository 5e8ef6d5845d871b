import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { mendStoresOpenApi } from './check.openapi.ts';
import { mendSchema, type MendRequest } from './check.schema.ts';
import { checkPage } from './check-page.client.ts';
import type { CheckDeps } from './check-step.rules.ts';

const checkBody = compileOperatorBody<MendRequest>(mendSchema);

/** `POST checks/mend/`: compares the same page and repairs its mismatches. */
export const mendStores = (deps: CheckDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/checks/mend',
  access: 'operator',
  action: 'check.mend',
  openApi: mendStoresOpenApi,
  bodyLimitBytes: 16_384,
  handle: async ({ body, caller, hungUp }) => {
    const sent = checkBody(body);
    if (isRefused(sent)) return sent;
    const page = await checkPage(deps, { cursor: sent.cursor, actor: caller, hungUp: hungUp() });
    return isRefused(page) ? page : { status: 200, body: page };
  },
});
