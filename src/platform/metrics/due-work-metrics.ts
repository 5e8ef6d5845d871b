import type { BatchObservableResult, Meter } from '@opentelemetry/api';
import { createShortCache } from '../short-cache.ts';
import type { DueWork } from '../work-items/due-work.store.ts';

/** Due work, and the slots of the concurrency limit. */
export interface MeasuredBacklog extends DueWork {
  slots: { held: number; oldestTakenAt: Date | null };
}

/** However often metrics are read, the database is asked once in this time. */
const READ_EVERY_MS = 5_000;

/**
 * Measures how far the service is behind with due work, who starts it, and how many slots of the concurrency limit are
 * held. The figures are those of the whole service, whichever process tells them. Without the database they are left out.
 */
export function observeDueWork(meter: Meter, read: () => Promise<MeasuredBacklog>): void {
  const due = meter.createObservableGauge('work_items.due', {
    description: 'Work whose time has come and that has not been started, by kind.',
  });
  const age = meter.createObservableGauge('work_items.oldest_due.age', {
    description: 'How long the oldest of it has been due.',
    unit: 's',
  });
  const lookedAt = meter.createObservableGauge('work_items.last_sweep.age', {
    description: 'Time since due work was last looked through to the end.',
    unit: 's',
  });
  const holder = meter.createObservableGauge('work_items.dispatcher', {
    description: 'The process that starts due work now: 1, or 2 when it is frozen, cut off or gone.',
  });
  const held = meter.createObservableGauge('creation_slots.held', {
    description: 'Slots of the concurrency limit that are held.',
  });
  const heldAge = meter.createObservableGauge('creation_slots.oldest.age', {
    description: 'How long the oldest of them has been held.',
    unit: 's',
  });
  const cache = createShortCache<'due', { found: MeasuredBacklog | undefined }>({
    ask: async () => ({ found: await read().catch(() => undefined) }),
    forMs: READ_EVERY_MS,
  });
  const ageOf = (since: Date) => Math.max(0, (Date.now() - since.getTime()) / 1_000);
  meter.addBatchObservableCallback(
    async (result: BatchObservableResult) => {
      const { found } = await cache.fetch('due');
      if (found === undefined) return;
      for (const { kind, due: count, oldestDueAt } of found.kinds) {
        result.observe(due, count, { kind });
        result.observe(age, ageOf(oldestDueAt), { kind });
      }
      const { dispatcher, slots } = found;
      if (dispatcher.lastSweptAt !== null) result.observe(lookedAt, ageOf(dispatcher.lastSweptAt));
      if (dispatcher.holder !== null) {
        result.observe(holder, dispatcher.isOverdue ? 2 : 1, { holder: dispatcher.holder });
      }
      result.observe(held, slots.held);
      if (slots.oldestTakenAt !== null) result.observe(heldAge, ageOf(slots.oldestTakenAt));
    },
    [due, age, lookedAt, holder, held, heldAge],
  );
}
