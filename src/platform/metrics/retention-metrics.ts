import type { BatchObservableResult, Meter } from '@opentelemetry/api';
import { createShortCache } from '../short-cache.ts';

/** What is told of a class of personal data that is deleted after a time. */
export interface MeasuredRetention {
  class: string;
  /** Of all runs. */
  deleted: number;
  completedAt: Date;
}

/** However often metrics are read, the database is asked once in this time. */
const READ_EVERY_MS = 5_000;

/**
 * Measures what is deleted after its time, and since when nothing more is due. The figures are those of the whole service, whichever
 * process tells them. Without the database they are left out.
 */
export function observeRetention(meter: Meter, read: () => Promise<readonly MeasuredRetention[]>): void {
  const deleted = meter.createObservableCounter('retention.deleted', {
    description:
      'Payloads, accounts that were never created, and audit entries that were deleted because they are kept no longer.',
  });
  const age = meter.createObservableGauge('retention.last_completed.age', {
    description: 'Time since all that was due was deleted: more than two days is late.',
    unit: 's',
  });
  const cache = createShortCache<'retention', { found: readonly MeasuredRetention[] }>({
    ask: async () => ({ found: await read().catch(() => []) }),
    forMs: READ_EVERY_MS,
  });
  meter.addBatchObservableCallback(
    async (result: BatchObservableResult) => {
      const { found } = await cache.fetch('retention');
      for (const { class: ofClass, deleted: count, completedAt } of found) {
        result.observe(deleted, count, { class: ofClass });
        result.observe(age, Math.max(0, (Date.now() - completedAt.getTime()) / 1_000), { class: ofClass });
      }
    },
    [deleted, age],
  );
}
