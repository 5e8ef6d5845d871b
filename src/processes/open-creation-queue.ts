import { temporalCreationRuns } from '../account-import/create/create-account.client.ts';
import {
  createCreationQueue,
  queueWithMetrics,
  runsWithMetrics,
  CreationNotStarted,
  type CreationRuns,
  throttledAnswer,
} from '../account-import/create/create-account.queue.ts';
import { listenForCreations, sendMessage } from '../account-import/create/creation-notifications.store.ts';
import { shareRuns, type SharedRuns } from '../account-import/create/shared-runs.queue.ts';
import {
  findLimit,
  watchConcurrencyLimit,
  databaseSlots,
  type CreationSlots,
  NAMED_TO_START_MS_MAX,
} from '../account-import/limit/creation-slot.store.ts';
import type { Database } from '../platform/database/database.ts';
import { listenAddress } from '../platform/secrets/secrets.ts';
import type { ProcessContext } from './run-process.ts';
import type { CreationEntry, CreationOutcome } from '../account-import/create/create-account.rules.ts';

/** Opens the creation queue: runs in Temporal under the concurrency limit, and the connection that notifies of their completion. */
export function openCreationQueue(deps: ProcessContext & { database: Database }) {
  const { settings, secrets, database, gateway, log, metrics } = deps;
  const limit = watchConcurrencyLimit({ findLimit: () => findLimit(database) });
  const slots = databaseSlots({ database, limit, log });
  const notifications = listenForCreations({
    secret: listenAddress(secrets),
    log,
    onMessage: (payload) => shared.receive(payload),
  });
  const runs = temporalCreationRuns(gateway, settings.CREATION_START_DEADLINE_MS, notifications);
  const limits = {
    runsInFlight: settings.CREATION_RUNS_IN_FLIGHT,
    batchSize: settings.CREATION_BATCH_SIZE,
    runsOpenMax: settings.CREATION_RUNS_OPEN_MAX,
    requestsWaitingMax: settings.CREATION_REQUESTS_WAITING_MAX,
    slotTimeoutMs: settings.CREATION_PLACE_HELD_MS,
    answerTimeoutMs: settings.CREATION_TIMEOUT_MS,
  };
  const limitedRuns = runsWithMetrics(limitCreationRuns(runs, slots), metrics);
  const shared: SharedRuns = shareRuns({
    runs: limitedRuns,
    send: (payload) => sendMessage(database, payload),
    create: (entry, hungUp) => submissions.submit(entry, hungUp),
  });
  const submissions = createCreationQueue(shared, limits, slots);
  const queue = queueWithMetrics(submissions, metrics);
  metrics.observe('queue', queue.state);
  const close = async () => {
    await shared.close();
    await notifications.close();
  };
  return { queue, limit, close };
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
