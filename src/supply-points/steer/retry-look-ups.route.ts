import type { Route } from '../../platform/http/route.ts';
import { retryLookUpsOpenApi } from './steer-look-ups.openapi.ts';
import { retryLookUps as retry, type SteerDeps } from './steer-look-ups.client.ts';

/** `POST look-ups/<operator>/retry/`: asks again for a selection of identifiers. */
export const retryLookUps = (deps: SteerDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/look-ups/:operator/retry',
  access: 'operator',
  action: 'population-batch.steer',
  openApi: retryLookUpsOpenApi,
  bodyLimitBytes: 16_384,
  handle: (request) => retry(deps, request),
});
