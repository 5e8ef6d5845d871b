import { isRefused } from '../vocabulary/refusals.ts';
import type { Route } from '../platform/http/route.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { readCursor, type StuckWork } from './list-stuck.client.ts';
import { retryPageOfCause } from './retry-by-operator.client.ts';
import { retryCauseSchema, type RetryCause } from './retry-cause.schema.ts';
import type { RetryDeps } from './retry-stuck.client.ts';
import { retryCauseOpenApi } from './stuck.openapi.ts';

const checkBody = compileOperatorBody<RetryCause>(retryCauseSchema);

/** `POST stuck/retry/`: retries what is pending for one cause, a page at a time; `next_cursor` leads on. */
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
