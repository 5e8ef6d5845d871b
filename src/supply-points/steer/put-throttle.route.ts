import type { Route } from '../../platform/http/route.ts';
import { putThrottleOpenApi } from '../throttle/throttle.openapi.ts';
import { setThrottle as set, type SteerDeps } from './steer-lookups.client.ts';
import { THROTTLE_PATH } from '../throttle/throttle.rules.ts';

/** `PUT network-operators/<operator>/throttle/`: how fast a network operator is asked; live. */
export const putThrottle = (deps: SteerDeps): Route => ({
  method: 'PUT',
  path: THROTTLE_PATH,
  access: 'operator',
  action: 'throttle.set',
  openApi: putThrottleOpenApi,
  bodyLimitBytes: 16_384,
  handle: (request) => set(deps, request),
});
