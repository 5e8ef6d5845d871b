import type { Meter } from '@opentelemetry/api';
import type { Dispatcher } from '../work-items/dispatcher-lease.store.ts';
import type { DueKind } from '../work-items/work-item.store.ts';
import { observeCached, secondsSince } from './observe-cached.ts';

/** Scheduled work of the whole service that is due, the dispatcher, and the slots of the concurrency limit. */
export interface Backlog {
  kinds: DueKind[];
  dispatcher: Dispatcher;
  slots: { held: number; oldestAcquiredAt: Date | null };
}

/**
 * Measures the backlog of scheduled work, the dispatcher, and the slots of the concurrency limit. The figures cover the whole service,
 * whichever process reports them, and are omitted while the database is down.
 */
export function observeDueWork(meter: Meter, read: () => Promise<Backlog>): void {
  const due = meter.createObservableGauge('work_items.due', {
    description: 'Scheduled work that is due but not started, by kind.',
  });
  const age = meter.createObservableGauge('work_items.oldest_due.age', {
    description: 'Time since the oldest of it was due.',
    unit: 's',
  });
  const lastSweep = meter.createObservableGauge('work_items.last_sweep.age', {
    description: 'Time since the last complete round of the dispatcher.',
    unit: 's',
  });
  const holder = meter.createObservableGauge('work_items.dispatcher', {
    description: 'The process that dispatches scheduled work: 1, or 2 if it does not respond.',
  });
  const held = meter.createObservableGauge('creation_slots.held', {
    description: 'Slots of the concurrency limit that are held.',
  });
  const heldAge = meter.createObservableGauge('creation_slots.oldest.age', {
    description: 'How long the oldest of them has been held.',
    unit: 's',
  });
  observeCached(meter, [due, age, lastSweep, holder, held, heldAge], read, ({ kinds, dispatcher, slots }, result) => {
    for (const { kind, due: count, oldestDueAt } of kinds) {
      result.observe(due, count, { kind });
      result.observe(age, secondsSince(oldestDueAt), { kind });
    }
    if (dispatcher.lastSweptAt !== null) result.observe(lastSweep, secondsSince(dispatcher.lastSweptAt));
    if (dispatcher.holder !== null) {
      result.observe(holder, dispatcher.isOverdue ? 2 : 1, { holder: dispatcher.holder });
    }
    result.observe(held, slots.held);
    if (slots.oldestAcquiredAt !== null) result.observe(heldAge, secondsSince(slots.oldestAcquiredAt));
  });
}
