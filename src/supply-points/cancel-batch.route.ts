import type { Route } from '../platform/http/route.ts';
import { isBatchId, unknownBatch } from './find-population-batch.route.ts';
import { cancelBatchIn } from './population-batch.store.ts';
import { cancelBatchOpenApi } from './steer-look-ups.openapi.ts';
import { changeAudited, type SteerDeps } from './steer-look-ups.store.ts';

/** `POST population-batches/<id>/cancel/`: what is pending ends as errored, what is complete stays. */
export const cancelBatch = (deps: SteerDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/population-batches/:batch/cancel',
  access: 'operator',
  action: 'population-batch.steer',
  openApi: cancelBatchOpenApi,
  handle: async ({ params, caller }) => {
    const batchId = params['batch'] ?? '';
    const outcome = isBatchId(batchId)
      ? await changeAudited(
          deps.database,
          caller,
          'population_batch.cancelled',
          `population-batches/${batchId}`,
          (em) => cancelBatchIn(em, batchId),
        )
      : null;
    if (outcome === null) return unknownBatch();
    void deps.runs.wake({ networkOperators: [], batchIds: [batchId] });
    return { status: 200, body: { batch_id: batchId, ...outcome } };
  },
});
