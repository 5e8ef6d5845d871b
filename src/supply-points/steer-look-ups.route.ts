import type { EntityManager } from '@mikro-orm/postgresql';
import { insertAudit } from '../access/index.ts';
import type { Database } from '../platform/database/database.ts';
import type { Caller, Route } from '../platform/http/route.ts';
import { isNetworkOperator } from '../vocabulary/network-operators.ts';
import { refuse } from '../vocabulary/refusals.ts';
import { isBatchId, unknownBatch } from './find-population-batch.route.ts';
import type { LookUpRuns } from './look-up-runs.client.ts';
import { cancelBatchIn } from './population-batch.store.ts';
import { retryBatchIn, retryLookUpIn } from './retry-look-ups.store.ts';
import { cancelBatchOpenApi, retryBatchOpenApi, retryLookUpOpenApi } from './steer-look-ups.openapi.ts';
import { unknownOperator } from './throttle.route.ts';

interface SteerDeps {
  database: Database;
  runs: LookUpRuns;
}

/** `POST population-batches/<id>/retry/`: asks again for all that is errored or set aside in a batch. */
export const retryBatch = (deps: SteerDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/population-batches/:batch/retry',
  access: 'operator',
  action: 'change',
  contract: retryBatchOpenApi,
  handle: async ({ params, caller }) => {
    const batchId = params['batch'] ?? '';
    const again = isBatchId(batchId)
      ? await audited(deps.database, caller, 'population_batch.retried', `population-batches/${batchId}`, (em) =>
          retryBatchIn(em, batchId),
        )
      : null;
    if (again === null) return unknownBatch();
    void deps.runs.wake(again);
    return { status: 200, body: { batch_id: batchId, retried: again.retried } };
  },
});

/** `POST population-batches/<id>/cancel/`: what is pending ends as errored, what is settled stays. */
export const cancelBatchRoute = (deps: SteerDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/population-batches/:batch/cancel',
  access: 'operator',
  action: 'change',
  contract: cancelBatchOpenApi,
  handle: async ({ params, caller }) => {
    const batchId = params['batch'] ?? '';
    const outcome = isBatchId(batchId)
      ? await audited(deps.database, caller, 'population_batch.cancelled', `population-batches/${batchId}`, (em) =>
          cancelBatchIn(em, batchId),
        )
      : null;
    if (outcome === null) return unknownBatch();
    void deps.runs.wake({ networkOperators: [], batchIds: [batchId] });
    return { status: 200, body: { batch_id: batchId, ...outcome } };
  },
});

/** `POST look-ups/<operator>/<identifier>/retry/`: asks again for one identifier, for every batch that wants it. */
export const retryLookUp = (deps: SteerDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/look-ups/:operator/:identifier/retry',
  access: 'operator',
  action: 'change',
  contract: retryLookUpOpenApi,
  handle: async ({ params, caller }) => {
    const { operator, identifier = '' } = params;
    if (!isNetworkOperator(operator)) return unknownOperator();
    const isPossible = /^[0-9A-Z]{1,64}$/.test(identifier);
    const again = isPossible
      ? await audited(deps.database, caller, 'look_up.retried', `look-ups/${operator}/${identifier}`, (em) =>
          retryLookUpIn(em, operator, identifier),
        )
      : null;
    if (again === null) {
      return refuse('not_found', { detail: 'No batch has ever asked this operator for this identifier.' });
    }
    void deps.runs.wake(again);
    return { status: 200, body: { network_operator: operator, identifier, retried: again.retried } };
  },
});

/** Makes a change and its row of the audit in one transaction. */
async function audited<T extends object>(
  database: Database,
  caller: Caller,
  action: string,
  subject: string,
  change: (em: EntityManager) => Promise<T | null>,
): Promise<T | null> {
  return database.transaction(async (em) => {
    const outcome = await change(em);
    if (outcome !== null) await insertAudit(em, caller, { action, subject, after: outcome });
    return outcome;
  });
}
