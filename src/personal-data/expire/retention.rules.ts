import type { RetentionClass } from '../../vocabulary/retention-classes.ts';

const DAY_MINUTES = 1_440;
const HOUR_MINUTES = 60;

/** The hours of the day, in France, in which data is deleted: from `from` until before `until`. They may span midnight. */
export interface NightHours {
  from: number;
  until: number;
}

/**
 * Returns the minutes since the night began; undefined during the day.
 * @param minuteOfDay in France
 */
export function minutesOfNight({ from, until }: NightHours, minuteOfDay: number): number | undefined {
  const since = (minuteOfDay - from * HOUR_MINUTES + DAY_MINUTES) % DAY_MINUTES;
  const lasts = ((until - from) * HOUR_MINUTES + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;
  return since < lasts ? since : undefined;
}

/** Number of deletions of a run so far, by class. */
export type DeletedCounts = Record<RetentionClass, number>;

/** Progress of a run. */
export interface RetentionProgress {
  state: 'RUNNING' | 'COMPLETED' | 'NIGHT_OVER' | 'CANCELLED';
  deleted: DeletedCounts;
}

/** Describes a run for the web UI of Temporal. */
export function describeRetention({ state, deleted }: RetentionProgress): string {
  const counts = `${deleted.created_payload} payloads of created accounts, ${deleted.never_created} accounts that were never created, ${deleted.audit} audit entries and ${deleted.idempotency_key} answers by idempotency key deleted.`;
  switch (state) {
    case 'RUNNING':
      return `${counts} No action is needed.`;
    case 'COMPLETED':
      return `${counts} Nothing more is due.`;
    case 'NIGHT_OVER':
      return `${counts} The night is over; it continues in the next one.`;
    case 'CANCELLED':
      return `Canceled for this night. ${counts}`;
  }
}
