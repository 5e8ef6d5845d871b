import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../../temporal.config.ts';
import { withinBatchSpan } from '../batch-span.queue.ts';
import type { CreationEntry, CreationOutcome } from './create-account.rules.ts';
import {
  pendingAnswer,
  quarantinedAnswer,
  unavailableAnswer,
  type Pending,
  type PendingCreations,
} from './pending-creations.queue.ts';
import type { SupplierQueues } from './supplier-queues.queue.ts';

/** How creation runs are started and awaited; the real one talks to Temporal (create-account.client.ts). */
export interface CreationRuns {
  /**
   * Starts one run for a batch, under the given workflow id.
   * @returns the promise of its outcomes; it outlives every caller
   * @throws CreationNotStarted if nothing was started; after any other error it is unknown whether the run was started
   */
  start(entries: readonly CreationEntry[], workflowId: string): Promise<{ outcomes: Promise<CreationOutcome[]> }>;
}

/** No run was started, so the request can be retried immediately. */
export class CreationNotStarted extends Error {
  override name = 'CreationNotStarted';
}

export interface CreationBatchesDeps {
  runs: CreationRuns;
  queues: SupplierQueues<Pending>;
  complete: PendingCreations['complete'];
  limits: {
    /** A run releases its slot after this time, even if it has not ended. */
    slotTimeoutMs: number;
  };
}

/** How long to wait for callers that were just answered to send their next request: less than a fifth of a run, and enough within one network. */
const NEXT_REQUEST_WAIT_MS = 5;
/** How long the next batch of a supplier waits for the run in progress: twice the usual duration of a full run. */
const RECENT_RUN_MS = 200;

/**
 * Starts runs for waiting entries, and answers their callers.
 * @returns starts all runs that may start now; call it for each new entry. When a run releases its slot, the next ones start automatically
 */
export function creationBatches({ runs, queues, complete, limits }: CreationBatchesDeps): () => void {
  function startRuns(): void {
    for (let next = queues.next(); next !== undefined; next = queues.next()) {
      for (const pending of next.batch) {
        pending.started = true;
        queues.count(next.importSupplier, 'waitingRequests', -pending.waiters.size);
      }
      void run(next.importSupplier, next.batch);
    }
  }

  async function run(importSupplier: string, batch: Pending[]): Promise<void> {
    const releaseSlot = takeSlot(queues, importSupplier, startRuns);
    queues.count(importSupplier, 'openRuns', 1);
    // A batch that waits for the database must not block the others.
    const slotTimeout = setTimeout(() => {
      releaseSlot();
      startRuns();
    }, limits.slotTimeoutMs);
    try {
      completeBatch(batch, await withinBatchSpan('creation batch', batch, () => outcomesOf(runs, batch)));
      awaitNextRequests(queues.expectRequests(importSupplier, batch.length), startRuns);
    } catch (error) {
      const answer = error instanceof CreationNotStarted ? unavailableAnswer() : pendingAnswer();
      for (const pending of batch) complete(pending, answer);
    } finally {
      clearTimeout(slotTimeout);
      queues.count(importSupplier, 'openRuns', -1);
      releaseSlot();
      startRuns();
    }
  }

  function completeBatch(batch: Pending[], outcomes: CreationOutcome[]): void {
    for (const [index, pending] of batch.entries()) {
      const outcome = outcomes[index] ?? pendingAnswer();
      complete(pending, outcome.kind === 'quarantined' ? quarantinedAnswer() : outcome);
    }
  }

  return startRuns;
}

/** @returns a function that releases the slot; further calls have no effect */
function takeSlot(queues: SupplierQueues<Pending>, importSupplier: string, startRuns: () => void): () => void {
  let isRecent = true;
  let isHeld = true;
  const expireRecent = () => {
    clearTimeout(recent);
    if (isRecent) queues.count(importSupplier, 'recentRuns', -1);
    isRecent = false;
  };
  const recent = setTimeout(() => {
    expireRecent();
    startRuns();
  }, RECENT_RUN_MS);
  queues.count(importSupplier, 'slotsTaken', 1);
  queues.count(importSupplier, 'recentRuns', 1);
  return () => {
    expireRecent();
    if (isHeld) queues.count(importSupplier, 'slotsTaken', -1);
    isHeld = false;
  };
}

/** Delays the next run for the next requests of answered callers. The time starts after the responses are written, which may itself take longer. */
function awaitNextRequests(expectNone: () => void, startRuns: () => void): void {
  const stopWaiting = () => {
    expectNone();
    startRuns();
  };
  setImmediate(() => setTimeout(stopWaiting, NEXT_REQUEST_WAIT_MS));
}

/** Starts a run for a batch, and awaits its outcomes. */
async function outcomesOf(runs: CreationRuns, batch: readonly Pending[]): Promise<CreationOutcome[]> {
  const { outcomes } = await runs.start(
    batch.map((pending) => pending.entry),
    workflowIds.createAccounts(uuidv7()),
  );
  return outcomes;
}
