import type { Route } from '../platform/http/route.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import { checkStoresOpenApi } from './check.openapi.ts';
import { checkPage } from './check-page.client.ts';
import type { CheckDeps } from './check-step.rules.ts';

/** `GET checks/`: compares a page of Postgres and Temporal and changes nothing; `cursor` leads on. */
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
