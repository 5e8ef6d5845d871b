import { isRefused } from '../vocabulary/refusals.ts';
import type { Route } from '../platform/http/route.ts';
import { retryStuckOpenApi } from './stuck.openapi.ts';
import { retryPending } from './retry-by-operator.client.ts';
import type { RetryDeps } from './retry-stuck.client.ts';

/** `POST stuck/<id>/retry/`: retries something pending at once, or starts its run when that is not there. */
export const retryStuck = (deps: RetryDeps): Route => ({
  method: 'POST',
  path: '/v1/operations/stuck/:id/retry',
  access: 'operator',
  action: 'stuck.retry',
  openApi: retryStuckOpenApi,
  handle: async ({ params, caller, log }) => {
    const done = await retryPending(deps, { actor: caller, log }, params['id'] ?? '');
    return isRefused(done) ? done : { status: 200, body: done };
  },
});
