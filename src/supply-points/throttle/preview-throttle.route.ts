import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Route } from '../../platform/http/route.ts';
import { isNetworkOperator } from '../../vocabulary/network-operators.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import { previewThrottle as preview } from './preview-throttle.client.ts';
import { previewThrottleOpenApi } from './throttle.openapi.ts';
import { THROTTLE_PATH, unknownNetworkOperator } from './throttle.rules.ts';

/** `GET network-operators/<operator>/throttle/preview/`: what a speed would mean; changes nothing. */
export const previewThrottle = (deps: { database: Database; clock: Clock }): Route => ({
  method: 'GET',
  path: `${THROTTLE_PATH}/preview`,
  access: 'operator',
  action: 'look',
  openApi: previewThrottleOpenApi,
  handle: async ({ params, query }) => {
    const { operator: networkOperator } = params;
    if (!isNetworkOperator(networkOperator)) return unknownNetworkOperator();
    const found = await preview(deps, networkOperator, query);
    return isRefused(found) ? found : { status: 200, body: found };
  },
});
