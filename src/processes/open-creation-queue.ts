import { temporalCreationRuns } from '../account-import/create/create-account.client.ts';
import {
  createCreationQueue,
  queueWithMetrics,
  runsWithMetrics,
} from '../account-import/create/create-account.queue.ts';
import { listenForCreations, sendMessage } from '../account-import/create/creation-notifications.store.ts';
import { shareRuns, type SharedRuns } from '../account-import/create/shared-runs.queue.ts';
import { findLimit, watchConcurrencyLimit } from '../account-import/limit/concurrency-limit.store.ts';
import { databaseSlots } from '../account-import/limit/creation-slot.store.ts';
import { limitCreationRuns } from '../account-import/create/limited-runs.queue.ts';
import type { Database } from '../platform/database/database.ts';
import { listenAddress } from '../platform/secrets/secrets.ts';
import type { ProcessContext } from './run-process.ts';

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
