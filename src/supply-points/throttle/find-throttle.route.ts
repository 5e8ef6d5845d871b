import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { isNetworkOperator } from '../../vocabulary/network-operators.ts';
import { findThrottleOpenApi } from './throttle.openapi.ts';
import { THROTTLE_PATH, unknownNetworkOperator } from './throttle.rules.ts';
import { findThrottle as findThrottleInDatabase } from './throttle.store.ts';

/** `GET network-operators/<operator>/throttle/`. */
export const findThrottle = (deps: { database: Database }): Route => ({
  method: 'GET',
  path: THROTTLE_PATH,
  access: 'operator',
  action: 'look',
  openApi: findThrottleOpenApi,
  handle: async ({ params }) => {
    const { operator: networkOperator } = params;
    return isNetworkOperator(networkOperator)
      ? { status: 200, body: await findThrottleInDatabase(deps.database.em(), networkOperator) }
      : unknownNetworkOperator();
  },
});
