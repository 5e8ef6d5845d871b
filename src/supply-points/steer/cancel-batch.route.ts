import type { Route } from '../../platform/http/route.ts';
import { cancelBatchOpenApi } from './steer-lookups.openapi.ts';
import { cancelBatch as cancel, type SteerDeps } from './steer-lookups.client.ts';

/** `POST population-batches/<id>/cancel/`: what is pending ends as errored, what is complete stays. */
export const cancelBatch = (deps: SteerDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/population-batches/:batch/cancel',
  access: 'operator',
  action: 'population-batch.steer',
  openApi: cancelBatchOpenApi,
  bodyLimitBytes: 16_384,
  bodyIsOptional: true,
  handle: (request) => cancel(deps, request),
});
