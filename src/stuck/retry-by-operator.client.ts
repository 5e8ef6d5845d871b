import { setTimeout as sleep } from 'node:timers/promises';
import { recordAudit, type Actor } from '../access/index.ts';
import type { Log } from '../platform/log.ts';
import { isNotFound, isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { PAGE_SIZE, stuckCursors, type StuckPlace, type StuckWork } from './list-stuck.client.ts';
import { violation } from '../vocabulary/violations.ts';
import { findRetry, type RetryDeps, type RetryOutcome } from './retry-stuck.client.ts';
import { stuckIds } from './stuck-id.rules.ts';
import type { StuckView } from './stuck.schema.ts';

/** Who retries, and where it is logged. */
export interface RetryOrder {
  actor: Actor;
  log: Log;
}

/** How often a retry did what; `gone`: it had been completed meanwhile. */
export type RetryCounts = Partial<Record<RetryOutcome | 'gone', number>>;

/** Items retried by one request, with a pause after each, so that failed work does not return all at the same time. */
const RETRIED_AT_ONCE = 50;
const REST_MS = 50;

/** Retries something pending at once, or starts its run when that is not there; with an audit row. */
export async function retryPending(
  deps: RetryDeps,
  { actor, log }: RetryOrder,
  id: string,
): Promise<{ id: string; outcome: RetryOutcome } | Refused> {
  const workflowId = stuckIds.workflowIdIn(id);
  if (workflowId === undefined || workflowId.includes('\0')) return nothingPending();
  try {
    const outcome = await deps.database.transaction(async (em) => {
      const retry = await findRetry(deps, log, workflowId);
      if (retry === undefined) return undefined;
      // Written before it is done, so that nothing is done that cannot be written down.
      await recordAudit(em, actor, {
        action: 'stuck.retried',
        subject: `stuck/${id}`,
        after: { workflow_id: workflowId, outcome: retry.outcome },
      });
      await retry.act();
      return retry.outcome;
    });
    return outcome === undefined ? nothingPending() : { id, outcome };
  } catch (error) {
    // It was completed while it was looked at.
    if (isNotFound(error)) return nothingPending();
    if (isTemporalAway(error)) return temporalAway();
    throw error;
  }
}

/** A selection is what a page of the list shows at most; more of one cause is retried by the cause. */
const SELECTED_MAX = PAGE_SIZE;

/**
 * Retries each of a selection, in its order; an audit row for each.
 * @returns a refusal when it is too long, or Temporal is away for the first
 */
export async function retrySelected(
  deps: RetryDeps,
  order: RetryOrder,
  ids: readonly string[],
  hungUp: AbortSignal,
): Promise<RetryCounts | Refused> {
  const selected = new Set(ids);
  if (selected.size > SELECTED_MAX) {
    const detail = `At most ${SELECTED_MAX} are retried at once; choose a cause to retry all of it, page by page.`;
    return refuse('validation_failed', { violations: [violation('max_length', ['id'], detail)] });
  }
  const counts: RetryCounts = {};
  for (const id of selected) {
    if (hungUp.aborted) break;
    const done = await retryPending(deps, order, id);
    if (isRefused(done) && done.code !== 'not_found') {
      if (Object.keys(counts).length === 0) return done;
      break;
    }
    const outcome = isRefused(done) ? 'gone' : done.outcome;
    counts[outcome] = (counts[outcome] ?? 0) + 1;
    await sleep(REST_MS);
  }
  return counts;
}

/** The result of a retried page of one cause. */
export interface RetriedCause {
  cause: string;
  outcomes: RetryCounts;
  /** Leads on; null when that was the last page. */
  next_cursor: string | null;
}

/**
 * Retries one page of a cause, with one audit entry for the page.
 * @param after where the page before ended
 */
export async function retryPageOfCause(
  deps: RetryDeps & { stuck: StuckWork },
  { actor, log }: RetryOrder,
  { cause, after }: { cause: string; after: StuckPlace | undefined },
  hungUp: AbortSignal,
): Promise<RetriedCause | Refused> {
  try {
    const page = await deps.stuck.list({ cause, after, pageSize: RETRIED_AT_ONCE });
    // Written before it is done, so that nothing is done that cannot be written down.
    if (page.stuck.length > 0) {
      await recordAudit(deps.database, actor, {
        action: 'stuck.retried',
        subject: `stuck/cause/${cause}`,
        after: { ids: page.stuck.map(({ id }) => id) },
      });
    }
    const { outcomes, last } = await retryEach(deps, log, page.stuck, hungUp);
    const isCut = last !== undefined && last !== page.stuck.at(-1);
    return { cause, outcomes, next_cursor: isCut ? stuckCursors.of(last) : page.next_cursor };
  } catch (error) {
    if (isTemporalAway(error)) return temporalAway();
    throw error;
  }
}

/** @returns the counts by outcome, and the last retried item: Temporal or the client may disconnect during the retries */
async function retryEach(
  deps: RetryDeps,
  log: Log,
  views: readonly StuckView[],
  hungUp: AbortSignal,
): Promise<{ outcomes: RetryCounts; last: StuckView | undefined }> {
  const outcomes: RetryCounts = {};
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

export function temporalAway(): Refused {
  return refuse('service_unavailable', {
    detail:
      'Temporal is unavailable or overloaded, so pending work is not known. Work resumes automatically. Retry later.',
    retryAfterSeconds: 5,
  });
}

function nothingPending(): Refused {
  return refuse('not_found', {
    detail:
      'Nothing is pending under this id; it may have been completed meanwhile. List what is pending with GET /v1/operations/stuck/.',
  });
}
