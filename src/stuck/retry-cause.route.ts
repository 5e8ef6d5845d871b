import { setTimeout as sleep } from 'node:timers/promises';
import { recordAudit } from '../access/index.ts';
import { isRefused } from '../vocabulary/refusals.ts';
import type { Route } from '../platform/http/route.ts';
import type { Log } from '../platform/log.ts';
import { isNotFound, isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import { compileOperatorBody } from '../platform/validation/compile-operator-body.ts';
import { readCursor, temporalAway } from './list-stuck.route.ts';
import { retryCauseSchema, type RetryCause } from './retry-cause.schema.ts';
import { retryCauseOpenApi } from './stuck.openapi.ts';
import { stuckCursors, type StuckWork } from './list-stuck.client.ts';
import type { StuckView } from './stuck.schema.ts';
import { findRetry, type RetryDeps, type RetryOutcome } from './retry-stuck.client.ts';

/** So many are retried by one request, with a rest after each: what has failed together would else come back together. */
const RETRIED_AT_ONCE = 50;
const REST_MS = 50;

const checkBody = compileOperatorBody<RetryCause>(retryCauseSchema);

/** `POST stuck/retry/`: retries what is pending for one cause, a page at a time; `next_cursor` leads on. */
export const retryCause = (deps: RetryDeps & { stuck: StuckWork }): Route => ({
  method: 'POST',
  path: '/v1/operations/stuck/retry',
  access: 'operator',
  action: 'change',
  openApi: retryCauseOpenApi,
  bodyLimitBytes: 16_384,
  handle: async ({ body, caller, log, hungUp }) => {
    const sent = checkBody(body);
    if (isRefused(sent)) return sent;
    const after = readCursor(sent.cursor ?? null);
    if (isRefused(after)) return after;
    try {
      const page = await deps.stuck.list({ cause: sent.cause, after, pageSize: RETRIED_AT_ONCE });
      // Written before it is done, so that nothing is done that cannot be written down.
      if (page.stuck.length > 0) {
        await recordAudit(deps.database, caller, {
          action: 'stuck.retried',
          subject: `stuck/cause/${sent.cause}`,
          after: { ids: page.stuck.map(({ id }) => id) },
        });
      }
      const { outcomes, last } = await retryEach(deps, log, page.stuck, hungUp());
      const isCut = last !== undefined && last !== page.stuck.at(-1);
      return {
        status: 200,
        body: { cause: sent.cause, outcomes, next_cursor: isCut ? stuckCursors.of(last) : page.next_cursor },
      };
    } catch (error) {
      if (isTemporalAway(error)) return temporalAway();
      throw error;
    }
  },
});

/** @returns what was done so often, and the last that was retried: Temporal may go away, or the client, in the midst of it */
async function retryEach(
  deps: RetryDeps,
  log: Log,
  views: readonly StuckView[],
  hungUp: AbortSignal,
): Promise<{ outcomes: Partial<Record<RetryOutcome | 'gone', number>>; last: StuckView | undefined }> {
  const outcomes: Partial<Record<RetryOutcome | 'gone', number>> = {};
  let last: StuckView | undefined;
  for (const view of views) {
    if (hungUp.aborted) break;
    try {
      const outcome = await retryOne(deps, log, view);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    } catch (error) {
      if (last === undefined || !isTemporalAway(error)) throw error;
      break;
    }
    last = view;
    await sleep(REST_MS);
  }
  return { outcomes, last };
}

/** `gone`: it has been completed meanwhile. */
async function retryOne(deps: RetryDeps, log: Log, { id }: StuckView): Promise<RetryOutcome | 'gone'> {
  const workflowId = Buffer.from(id, 'base64url').toString('utf8');
  try {
    const retry = await findRetry(deps, log, workflowId);
    await retry?.act();
    return retry?.outcome ?? 'gone';
  } catch (error) {
    if (isNotFound(error)) return 'gone';
    throw error;
  }
}
