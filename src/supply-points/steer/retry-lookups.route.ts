import type { Route } from '../../platform/http/route.ts';
import { retryLookupsOpenApi } from './steer-lookups.openapi.ts';
import { retryLookups as retry, type SteerDeps } from './steer-lookups.client.ts';

/** `POST look-ups/<operator>/retry/`: asks again for a selection of identifiers. */
export const retryLookups = (deps: SteerDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/look-ups/:operator/retry',
  access: 'operator',
  action: 'population-batch.steer',
  openApi: retryLookupsOpenApi,
  bodyLimitBytes: 16_384,
  handle: (request) => retry(deps, request),
});
