import type { Route } from '../../platform/http/route.ts';
import { retryLookUpOpenApi } from './steer-look-ups.openapi.ts';
import { retryLookUp as retry, type SteerDeps } from './steer-look-ups.client.ts';

/** `POST look-ups/<operator>/<identifier>/retry/`: asks again for one identifier, for every batch that wants it. */
export const retryLookUp = (deps: SteerDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/look-ups/:operator/:identifier/retry',
  access: 'operator',
  action: 'population-batch.steer',
  openApi: retryLookUpOpenApi,
  bodyLimitBytes: 16_384,
  bodyIsOptional: true,
  handle: (request) => retry(deps, request),
});
