import { setTimeout as sleep } from 'node:timers/promises';
import { recordAudit, type Actor } from '../access/index.ts';
import type { Log } from '../platform/log.ts';
import { isNotFound, isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { PAGE_SIZE, stuckCursors, unlessAway, type StuckPosition, type StuckWork } from './list-stuck.client.ts';
import { violation } from '../vocabulary/violations.ts';
import { findRetry, type RetryDeps, type RetryOutcome } from './retry-stuck.client.ts';
import { stuckIds } from './stuck-id.rules.ts';

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
  order: RetryOrder,
  id: string,
): Promise<{ id: string; outcome: RetryOutcome } | Refused> {
  const outcome = await unlessAway(() => retryAudited(deps, order, id));
  if (isRefused(outcome)) return outcome;
  return outcome === 'gone' ? noSuchWork() : { id, outcome };
}

async function retryAudited(deps: RetryDeps, { actor, log }: RetryOrder, id: string): Promise<RetryOutcome | 'gone'> {
  const workflowId = stuckIds.workflowIdIn(id);
  if (workflowId === undefined || workflowId.includes('\0')) return 'gone';
  return unlessCompleted(() =>
    deps.database.transaction(async (em) => {
      const retry = await findRetry(deps, log, workflowId);
      if (retry === undefined) return 'gone';
      // The audit entry is written first, so that no retry happens without one.
      await recordAudit(em, actor, {
        action: 'stuck.retried',
        subject: `stuck/${id}`,
        after: { workflow_id: workflowId, outcome: retry.outcome },
      });
      await retry.act();
      return retry.outcome;
    }),
  );
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
  const selected = [...new Set(ids)];
  if (selected.length > SELECTED_MAX) {
    const detail = `Select at most ${SELECTED_MAX} items, or retry by cause.`;
    return refuse('validation_failed', { violations: [violation('max_length', ['id'], detail)] });
  }
  const done = await unlessAway(() => retryEach(selected, hungUp, (id) => retryAudited(deps, order, id)));
  return isRefused(done) ? done : done.outcomes;
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
  return unlessAway(async () => {
    const page = await deps.stuck.list({ cause, after, pageSize: RETRIED_AT_ONCE });
    // The audit entry is written first, so that no retry happens without one.
    if (page.stuck.length > 0) {
      await recordAudit(deps.database, actor, {
        action: 'stuck.retried',
        subject: `stuck/cause/${cause}`,
        after: { ids: page.stuck.map(({ id }) => id) },
      });
    }
    const { outcomes, last } = await retryEach(page.stuck, hungUp, ({ id }) => retryOne(deps, log, id));
    const isCut = last !== undefined && last !== page.stuck.at(-1);
    return { cause, outcomes, next_cursor: isCut ? stuckCursors.of(last) : page.next_cursor };
  });
}

/** @returns the counts by outcome, and the last retried item: Temporal or the client may disconnect during the retries */
async function retryEach<Item>(
  items: readonly Item[],
  hungUp: AbortSignal,
  retry: (item: Item) => Promise<RetryOutcome | 'gone'>,
): Promise<{ outcomes: RetryCounts; last: Item | undefined }> {
  const outcomes: RetryCounts = {};
  let last: Item | undefined;
  for (const item of items) {
    if (hungUp.aborted) break;
    try {
      const outcome = await retry(item);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    } catch (error) {
      if (last === undefined || !isTemporalAway(error)) throw error;
      break;
    }
    last = item;
    await sleep(REST_MS);
  }
  return { outcomes, last };
}

async function retryOne(deps: RetryDeps, log: Log, id: string): Promise<RetryOutcome | 'gone'> {
  const workflowId = Buffer.from(id, 'base64url').toString('utf8');
  return unlessCompleted(async () => {
    const retry = await findRetry(deps, log, workflowId);
    await retry?.act();
    return retry?.outcome ?? 'gone';
  });
}

/** The work may be completed during its retry. */
async function unlessCompleted<Outcome>(retry: () => Promise<Outcome>): Promise<Outcome | 'gone'> {
  try {
    return await retry();
  } catch (error) {
    if (isNotFound(error)) return 'gone';
    throw error;
  }
}

function noSuchWork(): Refused {
  return refuse('not_found', {
    detail:
      'No stuck work has this id; it may have been completed in the meantime. List stuck work with GET /v1/operations/stuck/.',
  });
}
