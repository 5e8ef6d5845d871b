import { setTimeout as sleep } from 'node:timers/promises';
import { recordAudit, type Actor } from '../access/index.ts';
import type { Log } from '../platform/log.ts';
import { isNotFound, isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { PAGE_SIZE, stuckCursors, type StuckPosition, type StuckWork } from './list-stuck.client.ts';
import { violation } from '../vocabulary/violations.ts';
import { findRetry, type RetryDeps, type RetryOutcome } from './retry-stuck.client.ts';
import { stuckIds } from './stuck-id.rules.ts';
import type { StuckView } from './stuck.schema.ts';

/** The operator who retries, and the log. */
export interface RetryOrder {
  actor: Actor;
  log: Log;
}

/** Number of items by outcome; `gone`: the work was completed in the meantime. */
export type RetryCounts = Partial<Record<RetryOutcome | 'gone', number>>;

/** Items retried by one request, with a pause after each, so that failed work does not return all at the same time. */
const RETRIED_AT_ONCE = 50;
const REST_MS = 50;

/** Retries an item immediately, or starts its missing run; with an audit entry. */
export async function retryPending(
  deps: RetryDeps,
  { actor, log }: RetryOrder,
  id: string,
): Promise<{ id: string; outcome: RetryOutcome } | Refused> {
  const workflowId = stuckIds.workflowIdIn(id);
  if (workflowId === undefined || workflowId.includes('\0')) return noSuchWork();
  try {
    const outcome = await deps.database.transaction(async (em) => {
      const retry = await findRetry(deps, log, workflowId);
      if (retry === undefined) return undefined;
      // The audit entry is written first, so that no retry happens without one.
      await recordAudit(em, actor, {
        action: 'stuck.retried',
        subject: `stuck/${id}`,
        after: { workflow_id: workflowId, outcome: retry.outcome },
      });
      await retry.act();
      return retry.outcome;
    });
    return outcome === undefined ? noSuchWork() : { id, outcome };
  } catch (error) {
    // The work was completed during the retry.
    if (isNotFound(error)) return noSuchWork();
    if (isTemporalAway(error)) return temporalAway();
    throw error;
  }
}

/** A page of the list. To retry more, callers retry by cause. */
const SELECTED_MAX = PAGE_SIZE;

/**
 * Retries the selected items in order, with an audit entry for each.
 * @returns a rejection if the selection is too long, or if Temporal is unavailable for the first item
 */
export async function retrySelected(
  deps: RetryDeps,
  order: RetryOrder,
  ids: readonly string[],
  hungUp: AbortSignal,
): Promise<RetryCounts | Refused> {
  const selected = new Set(ids);
  if (selected.size > SELECTED_MAX) {
    const detail = `Select at most ${SELECTED_MAX} items, or retry by cause.`;
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
  /** Cursor of the next page; null after the last one. */
  next_cursor: string | null;
}

/**
 * Retries one page of a cause, with one audit entry for the page.
 * @param after the last item of the previous page
 */
export async function retryPageOfCause(
  deps: RetryDeps & { stuck: StuckWork },
  { actor, log }: RetryOrder,
  { cause, after }: { cause: string; after: StuckPosition | undefined },
  hungUp: AbortSignal,
): Promise<RetriedCause | Refused> {
  try {
    const page = await deps.stuck.list({ cause, after, pageSize: RETRIED_AT_ONCE });
    // The audit entry is written first, so that no retry happens without one.
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
      'Temporal is unavailable or overloaded, so stuck work is not known. Work resumes automatically. Retry later.',
    retryAfterSeconds: 5,
  });
}

function noSuchWork(): Refused {
  return refuse('not_found', {
    detail:
      'No stuck work has this id; it may have been completed in the meantime. List stuck work with GET /v1/operations/stuck/.',
  });
}
