import type { BatchObservableResult, Meter, Observable } from '@opentelemetry/api';
import { createShortCache } from '../short-cache.ts';

/** However often metrics are read, the database is asked once in this time. */
const READ_EVERY_MS = 5_000;

/**
 * Reports metrics that are read from elsewhere, which may be some seconds old. Metrics that cannot be read are omitted.
 * @param tell reports all metrics of what was read
 */
export function observeCached<Found>(
  meter: Meter,
  metrics: Observable[],
  read: () => Promise<Found>,
  tell: (found: Found, result: BatchObservableResult) => void,
): void {
  const cache = createShortCache<'read', { found: Found } | 'unknown'>({
    ask: async () =>
      read().then(
        (found) => ({ found }),
        () => 'unknown' as const,
      ),
    forMs: READ_EVERY_MS,
  });
  meter.addBatchObservableCallback(async (result) => {
    const answer = await cache.fetch('read');
    if (answer !== 'unknown') tell(answer.found, result);
  }, metrics);
}

/** Seconds since a time; 0 for a time that a clock ahead of ours has set. */
export const secondsSince = (moment: Date): number => Math.max(0, (Date.now() - moment.getTime()) / 1_000);
