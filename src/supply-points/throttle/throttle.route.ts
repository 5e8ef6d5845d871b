import type { Clock } from '../../platform/clock.ts';
import type { Route } from '../../platform/http/route.ts';
import { isNetworkOperator } from '../../vocabulary/network-operators.ts';
import { isRefused } from '../../vocabulary/refusals.ts';
import type { SteerDeps } from '../steer/steer-lookups.client.ts';
import { previewThrottle, setThrottle } from './throttle.client.ts';
import { findThrottleOpenApi, previewThrottleOpenApi, putThrottleOpenApi } from './throttle.openapi.ts';
import { unknownNetworkOperator } from './throttle.rules.ts';
import { findThrottle } from './throttle.store.ts';

const PATH = '/v1/operations/network-operators/:operator/throttle';

/** The routes that set, show and preview how fast a network operator is called. */
export const throttleRoutes = (deps: SteerDeps & { clock: Clock }): Route[] => [
  {
    method: 'PUT',
    path: PATH,
    access: 'operator',
    action: 'throttle.set',
    openApi: putThrottleOpenApi,
    bodyLimitBytes: 16_384,
    handle: (request) => setThrottle(deps, request),
  },
  {
    method: 'GET',
    path: PATH,
    access: 'operator',
    action: 'look',
    openApi: findThrottleOpenApi,
    handle: async ({ params: { operator } }) =>
      isNetworkOperator(operator)
        ? { status: 200, body: await findThrottle(deps.database, operator) }
        : unknownNetworkOperator(),
  },
  {
    method: 'GET',
    path: `${PATH}/preview`,
    access: 'operator',
    action: 'look',
    openApi: previewThrottleOpenApi,
    handle: async ({ params: { operator }, query }) => {
      if (!isNetworkOperator(operator)) return unknownNetworkOperator();
      const found = await previewThrottle(deps, operator, query);
      return isRefused(found) ? found : { status: 200, body: found };
    },
  },
];
