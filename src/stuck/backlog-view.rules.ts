import type { Backlog } from '../platform/metrics/observed-metrics.ts';
import type { DueWorkView } from './stuck.schema.ts';

/** Two rounds of the dispatcher: no worker dispatches, or too much work is due. */
const LATE_AFTER_SECONDS = 90;

/** The view of due work. */
export function viewOfDueWork({ kinds, dispatcher, slots }: Backlog, now = Date.now()): DueWorkView {
  return {
    kinds: kinds.map(({ kind, due, oldestDueAt }) => {
      const age = Math.max(0, Math.round((now - oldestDueAt.getTime()) / 1_000));
      return {
        kind,
        due,
        oldest_due_at: oldestDueAt.toISOString(),
        oldest_age_seconds: age,
        late: age > LATE_AFTER_SECONDS,
      };
    }),
    dispatcher: {
      holder: dispatcher.holder,
      held_since: dispatcher.heldSince?.toISOString() ?? null,
      overdue: dispatcher.isOverdue,
      last_swept_at: dispatcher.lastSweptAt?.toISOString() ?? null,
    },
    creation_slots: { held: slots.held, oldest_taken_at: slots.oldestAcquiredAt?.toISOString() ?? null },
  };
}
