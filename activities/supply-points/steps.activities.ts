import { Context } from '@temporalio/activity';
import type { Database } from '../../src/platform/database/database.ts';
import {
  cancelBatch,
  findProgress,
  type BatchProgress,
} from '../../src/supply-points/populate/population-batch.store.ts';
import { endLookUps, releaseLeftPages } from '../../src/supply-points/lookup/lookup.store.ts';
import {
  askDeferredNow,
  askDeferredOfBatchNow,
  summarizeDeferredIn,
} from '../../src/supply-points/lookup/deferred-lookup.store.ts';
import type { Log } from '../../src/platform/log.ts';
import type { NetworkOperatorName } from '../../src/vocabulary/network-operators.ts';
import { onDatabase } from '../failures.ts';

export type SupplyPointActivities = ReturnType<typeof supplyPointActivities>;

/** Short steps around the lookups, on our own database. Each may run twice. */
export function supplyPointActivities({ database, log }: { database: Database; log: Log }) {
  const step = <T>(work: () => Promise<T>): Promise<T> =>
    onDatabase(log, 'a step of a population failed by a fault of ours', work);
  const scheduledAtMs = () => Context.current().info.currentAttemptScheduledTimestampMs;
  return {
    /** Gives back pages that a lost run of the network operator left open. */
    beginLookUps: (networkOperator: NetworkOperatorName): Promise<void> =>
      step(() => releaseLeftPages(database, networkOperator, scheduledAtMs())),

    /** Ends the network operator's work; false when something waits after all. */
    endLookUps: (networkOperator: NetworkOperatorName): Promise<boolean> =>
      step(() => endLookUps(database, networkOperator, scheduledAtMs())),

    /** How far a batch is; when it has ended, its work is complete. */
    watchBatch: (batchId: string): Promise<BatchProgress | null> =>
      step(async () => {
        const progress = await findProgress(database, batchId);
        if (progress?.status !== 'IN_PROGRESS') return progress;
        return { ...progress, deferred: await summarizeDeferredIn(database, batchId) };
      }),

    /** Makes all that is deferred at a network operator due immediately. */
    retryDeferred: (networkOperator: NetworkOperatorName): Promise<void> =>
      step(() => askDeferredNow(database, networkOperator)),

    /** The same for one batch; the result names the network operators whose runs have to be woken. */
    retryDeferredOfBatch: (batchId: string): Promise<NetworkOperatorName[]> =>
      step(() => askDeferredOfBatchNow(database, batchId)),

    /** Cancels a batch, for who asked for it in Temporal's web UI. */
    cancelBatch: (batchId: string): Promise<unknown> => step(() => cancelBatch(database, batchId)),
  };
}
