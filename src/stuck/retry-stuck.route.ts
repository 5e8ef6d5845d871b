import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { readCursor, type StuckWork } from './list-stuck.client.ts';
import { retryPageOfCause, retryPending } from './retry-by-operator.client.ts';
import { retryCauseSchema, type RetryCause } from './stuck.schema.ts';
import { retryCauseOpenApi, retryStuckOpenApi } from './stuck.openapi.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import type { Route } from '../platform/http/route.ts';
import type { RetryDeps } from './retry-stuck.client.ts';

/** `POST stuck/<id>/retry/`: retries an item immediately, or starts its missing run. */
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

const checkBody = compileOperatorBody<RetryCause>(retryCauseSchema);

/** `POST stuck/retry/`: retries one page of the items with a cause; `next_cursor` continues. */
export const retryCause = (deps: RetryDeps & { stuck: StuckWork }): Route => ({
  method: 'POST',
  path: '/v1/operations/stuck/retry',
  access: 'operator',
  action: 'stuck.retry',
  openApi: retryCauseOpenApi,
  bodyLimitBytes: 16_384,
  handle: async ({ body, caller, log, hungUp }) => {
    const sent = checkBody(body);
    if (isRefused(sent)) return sent;
    const after = readCursor(sent.cursor ?? null);
    if (isRefused(after)) return after;
    const done = await retryPageOfCause(deps, { actor: caller, log }, { cause: sent.cause, after }, hungUp());
    return isRefused(done) ? done : { status: 200, body: done };
  },
});
