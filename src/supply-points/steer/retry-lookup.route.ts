import type { Route } from '../../platform/http/route.ts';
import { retryLookupOpenApi } from './steer-lookups.openapi.ts';
import { retryLookup as retry, type SteerDeps } from './steer-lookups.client.ts';

/** `POST look-ups/<operator>/<identifier>/retry/`: asks again for one identifier, for every batch that wants it. */
export const retryLookup = (deps: SteerDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/look-ups/:operator/:identifier/retry',
  access: 'operator',
  action: 'population-batch.steer',
  openApi: retryLookupOpenApi,
  bodyLimitBytes: 16_384,
  bodyIsOptional: true,
  handle: (request) => retry(deps, request),
});
