import { Context } from '@temporalio/activity';
import type { Database } from '../../src/platform/database/database.ts';
import {
  cancelBatchIn,
  findProgress,
  type BatchProgress,
} from '../../src/supply-points/populate/population-batch.store.ts';
import { completeLookupWork, releaseAbandonedPages } from '../../src/supply-points/lookup/lookup.store.ts';
import {
  retryDeferredNow,
  retryDeferredOfBatchNow,
  summarizeDeferredIn,
} from '../../src/supply-points/lookup/deferred-lookup.store.ts';
import type { Log } from '../../src/platform/log.ts';
import type { NetworkOperatorName } from '../../src/vocabulary/network-operators.ts';
import { onDatabase } from '../failures.ts';

export type SupplyPointActivities = ReturnType<typeof supplyPointActivities>;

/** Short database steps around the lookups. Each may run twice. */
export function supplyPointActivities({ database, log }: { database: Database; log: Log }) {
  const step = <T>(work: () => Promise<T>): Promise<T> => onDatabase(log, 'step of a population failed', work);
  const scheduledAtMs = () => Context.current().info.currentAttemptScheduledTimestampMs;
  return {
    /** Releases pages that a lost run of the network operator left open. */
    beginLookUps: (networkOperator: NetworkOperatorName): Promise<void> =>
      step(() => releaseAbandonedPages(database, networkOperator, scheduledAtMs())),

    /** Completes the network operator's work item; false when identifiers are pending. */
    endLookUps: (networkOperator: NetworkOperatorName): Promise<boolean> =>
      step(() => completeLookupWork(database, networkOperator, scheduledAtMs())),

    /** Reads the progress of a batch, and completes its work item if it has ended. */
    watchBatch: (batchId: string): Promise<BatchProgress | null> =>
      step(async () => {
        const progress = await findProgress(database, batchId);
        if (progress?.status !== 'IN_PROGRESS') return progress;
        return { ...progress, deferred: await summarizeDeferredIn(database, batchId) };
      }),

    /** Makes all deferred lookups of a network operator due immediately. */
    retryDeferred: (networkOperator: NetworkOperatorName): Promise<void> =>
      step(() => retryDeferredNow(database, networkOperator)),

    /** The same for one batch. Returns the network operators whose runs the workflow must wake. */
    retryDeferredOfBatch: (batchId: string): Promise<NetworkOperatorName[]> =>
      step(() => retryDeferredOfBatchNow(database, batchId)),

    /** Cancels a batch after its run was cancelled in Temporal's web UI. */
    cancelBatch: (batchId: string): Promise<unknown> =>
      step(() => database.transaction((em) => cancelBatchIn(em, batchId))),
  };
}
