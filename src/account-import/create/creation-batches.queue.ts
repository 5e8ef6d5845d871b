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
import type { SupplierLanes } from './supplier-lanes.queue.ts';

/** How creation runs are started and awaited; the real one talks to Temporal (create-account.client.ts). */
export interface CreationRuns {
  /**
   * Starts one run for a batch, under the given workflow id.
   * @returns the promise of its outcomes; it outlives every caller
   * @throws CreationNotStarted if nothing was started; after any other error it is unknown whether the run was started
   */
  start(entries: readonly CreationEntry[], workflowId: string): Promise<{ outcomes: Promise<CreationOutcome[]> }>;
}

/** Nothing was started, so that the request may be sent again at once. */
export class CreationNotStarted extends Error {
  override name = 'CreationNotStarted';
}

export interface CreationBatchesDeps {
  runs: CreationRuns;
  lanes: SupplierLanes<Pending>;
  complete: PendingCreations['complete'];
  limits: {
    /** A run gives its place back after this time, even when it has not ended. */
    slotTimeoutMs: number;
  };
}

/** How long to wait for callers that were just answered to send their next request: less than a fifth of a run, and enough within one network. */
const EXPECTED_BACK_MS = 5;
/** How long the next run of a supplier waits for the one in progress: twice the usual duration of a full run. */
const YOUNG_MS = 200;

/**
 * Starts runs for waiting entries, and answers their callers.
 * @returns starts all runs that may start now; call it for each new entry. When a run releases its slot, the next ones start automatically
 */
export function creationBatches({ runs, lanes, complete, limits }: CreationBatchesDeps): () => void {
  function startNext(): void {
    for (let turn = lanes.next(); turn !== undefined; turn = lanes.next()) {
      for (const pending of turn.batch) {
        pending.started = true;
        lanes.count(turn.importSupplier, 'waitingRequests', -pending.waiters.size);
      }
      void run(turn.importSupplier, turn.batch);
    }
  }

  async function run(importSupplier: string, batch: Pending[]): Promise<void> {
    const giveBackPlace = takePlace(lanes, importSupplier, startNext);
    lanes.count(importSupplier, 'openRuns', 1);
    // A batch that waits for the database must not stop the rest.
    const heldLongEnough = setTimeout(() => {
      giveBackPlace();
      startNext();
    }, limits.slotTimeoutMs);
    try {
      completeBatch(batch, await withinBatchSpan('creation batch', batch, () => outcomesOf(runs, batch)));
      awaitReturn(lanes.expectBack(importSupplier, batch.length), startNext);
    } catch (error) {
      const answer = error instanceof CreationNotStarted ? unavailableAnswer() : pendingAnswer();
      for (const pending of batch) complete(pending, answer);
    } finally {
      clearTimeout(heldLongEnough);
      lanes.count(importSupplier, 'openRuns', -1);
      giveBackPlace();
      startNext();
    }
  }

  function completeBatch(batch: Pending[], outcomes: CreationOutcome[]): void {
    for (const [index, pending] of batch.entries()) {
      const outcome = outcomes[index] ?? pendingAnswer();
      complete(pending, outcome.kind === 'quarantined' ? quarantinedAnswer() : outcome);
    }
  }

  return startNext;
}

/** @returns gives the place back; called again it does nothing */
function takePlace(lanes: SupplierLanes<Pending>, importSupplier: string, startNext: () => void): () => void {
  let isYoung = true;
  let isHeld = true;
  const grow = () => {
    clearTimeout(young);
    if (isYoung) lanes.count(importSupplier, 'youngRuns', -1);
    isYoung = false;
  };
  const young = setTimeout(() => {
    grow();
    startNext();
  }, YOUNG_MS);
  lanes.count(importSupplier, 'placesTaken', 1);
  lanes.count(importSupplier, 'youngRuns', 1);
  return () => {
    grow();
    if (isHeld) lanes.count(importSupplier, 'placesTaken', -1);
    isHeld = false;
  };
}

/** Waits a moment for those who were just answered. The moment begins when the answers have been written: for many of them that alone takes longer. */
function awaitReturn(expectNoMore: () => void, startNext: () => void): void {
  const stopWaiting = () => {
    expectNoMore();
    startNext();
  };
  setImmediate(() => setTimeout(stopWaiting, EXPECTED_BACK_MS));
}

/** Starts a run for a batch, and awaits its outcomes. */
async function outcomesOf(runs: CreationRuns, batch: readonly Pending[]): Promise<CreationOutcome[]> {
  const { outcomes } = await runs.start(
    batch.map((pending) => pending.entry),
    workflowIds.createAccounts(uuidv7()),
  );
  return outcomes;
}
