import type { Route } from '../platform/http/route.ts';
import { isBatchId, unknownBatch } from './find-population-batch.route.ts';
import { retryBatchIn } from './retry-look-ups.store.ts';
import { retryBatchOpenApi } from './steer-look-ups.openapi.ts';
import { changeAudited, type SteerDeps } from './steer-look-ups.store.ts';

/** `POST population-batches/<id>/retry/`: asks again for all that is errored or deferred in a batch. */
export const retryBatch = (deps: SteerDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/population-batches/:batch/retry',
  access: 'operator',
  action: 'population-batch.steer',
  openApi: retryBatchOpenApi,
  handle: async ({ params, caller }) => {
    const batchId = params['batch'] ?? '';
    const again = isBatchId(batchId)
      ? await changeAudited(deps.database, caller, 'population_batch.retried', `population-batches/${batchId}`, (em) =>
          retryBatchIn(em, batchId),
        )
      : null;
    if (again === null) return unknownBatch();
    void deps.runs.wake(again);
    return { status: 200, body: { batch_id: batchId, retried: again.retried } };
  },
});
