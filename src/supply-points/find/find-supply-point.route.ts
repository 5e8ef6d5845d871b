import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { findSupplyPointOpenApi } from './find-supply-point.openapi.ts';
import { readSupplyPoint } from './read-supply-point.client.ts';

/** `GET supply-points/<operator>/<identifier>/`: what is known of one point. */
export const findSupplyPoint = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: '/v1/operations/supply-points/:operator/:identifier',
  access: 'operator',
  action: 'look',
  openApi: findSupplyPointOpenApi,
  handle: async ({ params, caller }) => {
    const found = await readSupplyPoint(deps.database, caller, params);
    return isRefused(found) ? found : { status: 200, body: found };
  },
});
