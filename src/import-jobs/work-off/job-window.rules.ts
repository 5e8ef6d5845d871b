import { parisDay, parisTimestamp } from '../../platform/clock.ts';
import type { ImportJobOptions } from '../import-job.schema.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const MINUTES_OF_DAY = 1_440;

/**
 * The time until a job may run, 0 within its window. A window opens every day. If the change to summer time skips its opening, it opens
 * an hour later. A window with equal ends never closes.
 */
export function msUntilOpen(window: ImportJobOptions['window'], now: Date): number {
  if (window === undefined || window.from === window.to) return 0;
  const [from, to] = [minuteOf(window.from), minuteOf(window.to)];
  const lastsMs = ((to - from + MINUTES_OF_DAY) % MINUTES_OF_DAY) * MINUTE_MS;
  const today = Date.parse(parisDay(now));
  for (const dayMs of [today - DAY_MS, today, today + DAY_MS]) {
    const opensAt = parisTimestamp(dayOf(dayMs), from);
    const shownEnd = parisTimestamp(dayOf(to > from ? dayMs : dayMs + DAY_MS), to);
    // If the change to summer time skips the opening, the closing may come before it.
    const closesAt = shownEnd > opensAt ? shownEnd : opensAt + lastsMs;
    if (now.getTime() < closesAt) return Math.max(0, opensAt - now.getTime());
  }
  return DAY_MS;
}

function dayOf(timestamp: number): string {
  return new Date(timestamp).toISOString().slice(0, 10);
}

function minuteOf(hourOfDay: string): number {
  const [hours, minutes] = hourOfDay.split(':').map(Number) as [number, number];
  return hours * 60 + minutes;
}
