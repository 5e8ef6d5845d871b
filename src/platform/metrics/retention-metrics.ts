import type { Meter } from '@opentelemetry/api';
import { observeCached, secondsSince } from './observe-cached.ts';

/** A class of personal data that retention deletes. */
export interface MeasuredRetention {
  class: string;
  /** Total of all runs. */
  deleted: number;
  completedAt: Date;
}

/**
 * Measures deletions by retention, and the time since each class was last completed. The figures cover the whole service, whichever process
 * reports them, and are omitted while the database is down.
 */
export function observeRetention(meter: Meter, read: () => Promise<readonly MeasuredRetention[]>): void {
  const deleted = meter.createObservableCounter('retention.deleted', {
    description:
      'Payloads, accounts that were never created, audit entries and responses by Idempotency-Key that retention has deleted.',
  });
  const age = meter.createObservableGauge('retention.last_completed.age', {
    description: 'Time since the last complete deletion of due data; more than two days is late.',
    unit: 's',
  });
  observeCached(meter, [deleted, age], read, (classes, result) => {
    for (const { class: ofClass, deleted: count, completedAt } of classes) {
      result.observe(deleted, count, { class: ofClass });
      result.observe(age, secondsSince(completedAt), { class: ofClass });
    }
  });
}

/**
 * Measures the compressed bytes that the import jobs of each organization store. The figures cover the whole service and are omitted while
 * the database is down.
 */
export function observeStoredJobs(
  meter: Meter,
  read: () => Promise<readonly { organisation: string; bytes: number }[]>,
): void {
  const stored = meter.createObservableGauge('import_jobs.stored', {
    description: 'Uploaded parts of import jobs that are stored, compressed.',
    unit: 'By',
  });
  observeCached(meter, [stored], read, (organisations, result) => {
    for (const { organisation, bytes } of organisations) result.observe(stored, bytes, { organisation });
  });
}
