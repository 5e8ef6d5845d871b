import { CreationNotStarted, type CreationRuns, throttledAnswer } from './create-account.queue.ts';
import type { CreationEntry, CreationOutcome } from './create-account.rules.ts';
import { type CreationSlots, NAMED_TO_START_MS_MAX } from '../limit/creation-slot.store.ts';

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
