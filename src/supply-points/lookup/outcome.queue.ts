import { ConstantBackoff, handleWhen, retry } from 'cockatiel';
import { batchCalls } from '../../foundation/batched-calls.ts';
import { isTransientError } from '../../platform/database/faults.ts';
import type { LookupOutcome } from './lookup.store.ts';

/** Stores outcomes of lookups as soon as possible. */
export interface OutcomeQueue {
  /** Resolves when the outcome is stored. */
  add(outcome: LookupOutcome): Promise<void>;
}

const AT_ONCE_MAX = 500;
const RETRY_MS = 500;
/** After this time without the database an outcome is dropped, and its identifier is looked up again. */
const KEPT_MS = 90_000;

/**
 * Batches the outcomes that arrive during a write: single ones when calls are slow, many when they are
 * fast. While the database is unavailable, outcomes are kept and stored later.
 */
export function createOutcomeQueue(write: (outcomes: readonly LookupOutcome[]) => Promise<unknown>): OutcomeQueue {
  return batchCalls(AT_ONCE_MAX, async (outcomes: readonly LookupOutcome[]) => {
    await patiently(() => write(outcomes));
    return () => {};
  });
}

/** Retries a write while the database is unavailable. Storing an outcome twice is harmless. */
function patiently(write: () => Promise<unknown>): Promise<unknown> {
  const until = performance.now() + KEPT_MS;
  const isWorthATry = (error: unknown) => isTransientError(error) && performance.now() <= until;
  const backoff = new ConstantBackoff(RETRY_MS);
  return retry(handleWhen(isWorthATry), { maxAttempts: Infinity, backoff }).execute(write);
}
