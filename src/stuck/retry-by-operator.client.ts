import { setTimeout as sleep } from 'node:timers/promises';
import { recordAudit, type Actor } from '../access/index.ts';
import type { Log } from '../platform/log.ts';
import { isNotFound, isTemporalAway } from '../platform/temporal/temporal-faults.ts';
import { isRefused, refuse, type Refused } from '../vocabulary/refusals.ts';
import { PAGE_SIZE, unlessAway } from './list-stuck.client.ts';
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

/** Pause after each item, so that failed work does not return all at the same time. */
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
    const detail = `Select at most ${SELECTED_MAX} items, or retry all work with a cause.`;
    return refuse('validation_failed', { violations: [violation('max_length', ['id'], detail)] });
  }
  const done = await unlessAway(() => retryEach(selected, hungUp, (id) => retryAudited(deps, order, id)));
  return done;
}

/** @returns the counts by outcome: Temporal or the client may disconnect during the retries */
async function retryEach<Item>(
  items: readonly Item[],
  hungUp: AbortSignal,
  retry: (item: Item) => Promise<RetryOutcome | 'gone'>,
): Promise<RetryCounts> {
  const outcomes: RetryCounts = {};
  let isFirst = true;
  for (const item of items) {
    if (hungUp.aborted) break;
    try {
      const outcome = await retry(item);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    } catch (error) {
      if (isFirst || !isTemporalAway(error)) throw error;
      break;
    }
    isFirst = false;
    await sleep(REST_MS);
  }
  return outcomes;
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
