import type { Route } from '../platform/http/route.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { checkStoresOpenApi, repairStoresOpenApi } from './check.openapi.ts';
import { checkPage } from './check-page.client.ts';
import type { CheckDeps } from './check-step.rules.ts';
import { repairSchema, type RepairRequest } from './check.schema.ts';

/** `GET checks/`: compares a page of Postgres and Temporal, from `cursor` on, and changes nothing. */
export const checkStores = (deps: CheckDeps): Route => ({
  method: 'GET',
  path: '/v1/operations/checks',
  access: 'operator',
  action: 'look',
  openApi: checkStoresOpenApi,
  handle: async ({ query, hungUp }) => {
    const page = await checkPage(deps, { cursor: query.get('cursor') ?? undefined, hungUp: hungUp() });
    return isRefused(page) ? page : { status: 200, body: page };
  },
});

const checkBody = compileOperatorBody<RepairRequest>(repairSchema);

/** `POST checks/mend/`: compares the same page and repairs its mismatches. */
export const repairStores = (deps: CheckDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/checks/mend',
  access: 'operator',
  action: 'check.mend',
  openApi: repairStoresOpenApi,
  bodyLimitBytes: 16_384,
  handle: async ({ body, caller, hungUp }) => {
    const sent = checkBody(body);
    if (isRefused(sent)) return sent;
    const page = await checkPage(deps, { cursor: sent.cursor, actor: caller, hungUp: hungUp() });
    return isRefused(page) ? page : { status: 200, body: page };
  },
});
