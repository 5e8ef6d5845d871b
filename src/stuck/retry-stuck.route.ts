import { recordAudit } from '../access/index.ts';
import { refuse } from '../vocabulary/refusals.ts';
import type { Route } from '../platform/http/route.ts';
import { isNotFound, isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import { retryStuckOpenApi } from './stuck.openapi.ts';
import { temporalAway } from './list-stuck.route.ts';
import { stuckIds } from './stuck-id.rules.ts';
import { findRetry, type RetryDeps } from './retry-stuck.client.ts';

/** `POST stuck/<id>/retry/`: retries something pending at once, or starts its run when that is not there. */
export const retryStuck = (deps: RetryDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/stuck/:id/retry',
  access: 'operator',
  action: 'change',
  openApi: retryStuckOpenApi,
  handle: async ({ params, caller, log }) => {
    const id = params['id'] ?? '';
    const workflowId = stuckIds.workflowIdIn(id);
    if (workflowId === undefined || workflowId.includes('\0')) return nothingPending();
    try {
      const outcome = await deps.database.transaction(async (em) => {
        const retry = await findRetry(deps, log, workflowId);
        if (retry === undefined) return undefined;
        // Written before it is done, so that nothing is done that cannot be written down.
        await recordAudit(em, caller, {
          action: 'stuck.retried',
          subject: `stuck/${id}`,
          after: { workflow_id: workflowId, outcome: retry.outcome },
        });
        await retry.act();
        return retry.outcome;
      });
      return outcome === undefined ? nothingPending() : { status: 200, body: { id, outcome } };
    } catch (error) {
      // It was completed while it was looked at.
      if (isNotFound(error)) return nothingPending();
      if (isTemporalAway(error)) return temporalAway();
      throw error;
    }
  },
});

function nothingPending() {
  return refuse('not_found', {
    detail:
      'Nothing is pending under this id; it may have been completed meanwhile. List what is pending with GET /v1/operations/stuck/.',
  });
}
