import type { Route } from '../../platform/http/route.ts';
import { retryBatchOpenApi } from './steer-lookups.openapi.ts';
import { retryBatch as retry, type SteerDeps } from './steer-lookups.client.ts';

/** `POST population-batches/<id>/retry/`: asks again for all that is errored or deferred in a batch. */
export const retryBatch = (deps: SteerDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/population-batches/:batch/retry',
  access: 'operator',
  action: 'population-batch.steer',
  openApi: retryBatchOpenApi,
  bodyLimitBytes: 16_384,
  bodyIsOptional: true,
  handle: (request) => retry(deps, request),
});
