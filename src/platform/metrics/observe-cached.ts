import type { BatchObservableResult, Meter, Observable } from '@opentelemetry/api';
import { createShortCache } from '../short-cache.ts';

/** Minimum interval between reads of the database. */
const READ_EVERY_MS = 5_000;

/**
 * Reports metrics from cached readings, which may be some seconds old. Omits them if reading fails.
 * @param report reports all metrics of a reading
 */
export function observeCached<Found>(
  meter: Meter,
  metrics: Observable[],
  read: () => Promise<Found>,
  report: (found: Found, result: BatchObservableResult) => void,
): void {
  const cache = createShortCache<'read', { found: Found } | 'unknown'>({
    load: async () =>
      read().then(
        (found) => ({ found }),
        () => 'unknown' as const,
      ),
    forMs: READ_EVERY_MS,
  });
  meter.addBatchObservableCallback(async (result) => {
    const answer = await cache.fetch('read');
    if (answer !== 'unknown') report(answer.found, result);
  }, metrics);
}

/** Seconds since a time; 0 if it is in the future because of clock differences. */
export const secondsSince = (moment: Date): number => Math.max(0, (Date.now() - moment.getTime()) / 1_000);
