import { ConstantBackoff, handleWhen, retry } from 'cockatiel';
import { isTransientError } from '../../platform/database/faults.ts';
import type { LookupOutcome } from './lookup.store.ts';

/** Writes outcomes of lookups, each as soon as it is there. */
export interface OutcomeQueue {
  /** Resolves when the outcome is written. */
  add(outcome: LookupOutcome): Promise<void>;
}

const AT_ONCE_MAX = 500;
const RETRY_MS = 500;
/** The database may be away for so long before an outcome is lost and its identifier asked again. */
const KEPT_MS = 90_000;

/**
 * What comes while a write is under way goes with the next one: alone when calls are slow, many at once when they are
 * fast. While the database is away, what network operators have said is kept and written when it is back.
 */
export function createOutcomeQueue(write: (outcomes: readonly LookupOutcome[]) => Promise<unknown>): OutcomeQueue {
  const waiting: { outcome: LookupOutcome; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let isWriting = false;

  const writeAll = async (): Promise<void> => {
    if (isWriting) return;
    isWriting = true;
    while (waiting.length > 0) {
      const now = waiting.splice(0, AT_ONCE_MAX);
      try {
        await patiently(() => write(now.map(({ outcome }) => outcome)));
        for (const one of now) one.resolve();
      } catch (error) {
        for (const one of now) one.reject(error);
      }
    }
    isWriting = false;
  };
  return {
    add: (outcome) =>
      new Promise((resolve, reject) => {
        waiting.push({ outcome, resolve, reject });
        void writeAll();
      }),
  };
}

/** Runs a write again while the database is away; writing an outcome twice changes nothing. */
function patiently(write: () => Promise<unknown>): Promise<unknown> {
  const until = performance.now() + KEPT_MS;
  const isWorthATry = (error: unknown) => isTransientError(error) && performance.now() <= until;
  const backoff = new ConstantBackoff(RETRY_MS);
  return retry(handleWhen(isWorthATry), { maxAttempts: Infinity, backoff }).execute(write);
}
