import { v7 as uuidv7 } from 'uuid';
import { workflowIds } from '../../../temporal.config.ts';
import { withinBatchSpan } from '../batch-span.queue.ts';
import type { CreationEntry, CreationOutcome } from './create-account.rules.ts';
import {
  type Pending,
  pendingAnswer,
  type PendingCreations,
  quarantinedAnswer,
  throttledAnswer,
  unavailableAnswer,
} from './pending-creations.queue.ts';
import type { SupplierQueues } from './supplier-queues.queue.ts';
import { type CreationSlots, NAMED_TO_START_MS_MAX } from '../limit/creation-slot.store.ts';

/** Starts creation runs and awaits them. Implemented with Temporal in create-account.client.ts. */
export interface CreationRuns {
  /**
   * Starts one run for a batch under the given workflow id.
   * @returns a promise of the outcomes, which outlives every caller
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
    /** After this time a run releases its slot even if it has not ended. */
    slotTimeoutMs: number;
  };
}

/** How long to wait for the next request of a caller just answered: less than a fifth of a run, and enough within one network. */
const NEXT_REQUEST_WAIT_MS = 5;
/** How long the next batch of a supplier waits for the run in progress: twice the usual duration of a full run. */
const RECENT_RUN_MS = 200;

/**
 * Starts runs for waiting entries and answers their callers.
 * @returns a function that starts all runs that may start now. Call it for each new entry; released slots start further runs automatically.
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
    const releaseSlot = acquireSlot(queues, importSupplier, startRuns);
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

function acquireSlot(queues: SupplierQueues<Pending>, importSupplier: string, startRuns: () => void): () => void {
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
  queues.count(importSupplier, 'slotsInUse', 1);
  queues.count(importSupplier, 'recentRuns', 1);
  return () => {
    expireRecent();
    if (isHeld) queues.count(importSupplier, 'slotsInUse', -1);
    isHeld = false;
  };
}

/** Delays the next run for the next requests of answered callers. The delay starts after the responses are written. */
function awaitNextRequests(expectNone: () => void, startRuns: () => void): void {
  const stopWaiting = () => {
    expectNone();
    startRuns();
  };
  setImmediate(() => setTimeout(stopWaiting, NEXT_REQUEST_WAIT_MS));
}

async function outcomesOf(runs: CreationRuns, batch: readonly Pending[]): Promise<CreationOutcome[]> {
  const { outcomes } = await runs.start(
    batch.map((pending) => pending.entry),
    workflowIds.createAccounts(uuidv7()),
  );
  return outcomes;
}

/**
 * Applies the concurrency limit: stores the run's id with the slots of its entries before the run starts. An entry whose slot was
 * reclaimed, because its process seemed dead, is not started: another account may have the slot now.
 */
export function limitCreationRuns(runs: CreationRuns, slots: CreationSlots): CreationRuns {
  return {
    start: async (entries, workflowId) => {
      const holders = entries.filter((entry) => entry.holdsSlot).map((entry) => entry.creationId);
      if (holders.length === 0) return runs.start(entries, workflowId);
      const requestedAt = performance.now();
      const kept = await slots.nameRun(holders, workflowId).catch((cause: unknown) => {
        throw new CreationNotStarted('the slots cannot be named', { cause });
      });
      if (performance.now() - requestedAt > NAMED_TO_START_MS_MAX) {
        await slots.release(holders);
        throw new CreationNotStarted('the process was suspended for too long to start the run with its slots');
      }
      const hasSlot = (entry: CreationEntry) => !entry.holdsSlot || kept.has(entry.creationId);
      const started = entries.filter(hasSlot);
      if (started.length === 0) return { outcomes: Promise.resolve(entries.map(throttledAnswer)) };
      const { outcomes } = await runs.start(started, workflowId).catch(async (error: unknown) => {
        if (error instanceof CreationNotStarted) await slots.release(holders);
        throw error;
      });
      return { outcomes: inOrder(entries, hasSlot, outcomes) };
    },
  };
}

async function inOrder(
  entries: readonly CreationEntry[],
  hasSlot: (entry: CreationEntry) => boolean,
  outcomes: Promise<CreationOutcome[]>,
): Promise<CreationOutcome[]> {
  const remaining = (await outcomes).values();
  return entries.map((entry) => (hasSlot(entry) ? (remaining.next().value as CreationOutcome) : throttledAnswer()));
}
