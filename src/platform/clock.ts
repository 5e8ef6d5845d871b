import type { Language } from '../vocabulary/french.ts';

/** Wall clock of the process. Tests replace it to set the date on which rules are evaluated. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** Returns the date (`YYYY-MM-DD`) of an instant in France, which dates in payloads are compared with. */
export function parisDay(instant: Date): string {
  // Cached per minute, because formatting costs more than the rest of a small request, and days start at whole minutes.
  const minute = Math.floor(instant.getTime() / MINUTE_MS);
  if (minute !== lastMinute) {
    lastDay = parisFormat.format(instant);
    lastMinute = minute;
  }
  return lastDay;
}

const MINUTE_MS = 60_000;
let lastMinute = Number.NaN;
let lastDay = '';

const parisFormat = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'Europe/Paris',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** Returns the minute of the day of an instant in France, 0 to 1439. */
export function parisMinuteOfDay(instant: Date): number {
  const [hours, minutes] = parisTime.format(instant).split(':').map(Number) as [number, number];
  return hours * 60 + minutes;
}

const parisTime = new Intl.DateTimeFormat('en-GB', {
  timeZone: 'Europe/Paris',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** Returns the calendar day after a day (`YYYY-MM-DD`). */
export function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  date.setUTCDate(date.getUTCDate() + 1);
  return date.toISOString().slice(0, 'YYYY-MM-DD'.length);
}

/** Returns the instant at which a date (`YYYY-MM-DD`) begins in France, plus `daysOn` days. */
export function parisMidnight(day: string, daysOn = 0): Date {
  const utc = new Date(`${day}T00:00:00Z`);
  utc.setUTCDate(utc.getUTCDate() + daysOn);
  return parisInstant(utc.toISOString().slice(0, 19));
}

/**
 * Returns the instant at which clocks in France show a local date and time (`2026-11-25T14:00`): the first if they show it twice, and moved
 * forward like the clocks if they skip it.
 */
export function parisInstant(local: string): Date {
  const shown = Date.parse(`${local}Z`);
  const [before, after] = [parisOffset(shown - DAY_MS), parisOffset(shown + DAY_MS)];
  const isAfterChange = parisOffset(shown - before) !== before && parisOffset(shown - after) === after;
  return new Date(shown - (isAfterChange ? after : before));
}

/** Returns the milliseconds by which clocks in France are ahead of UTC. */
function parisOffset(timestamp: number): number {
  const wholeSeconds = Math.floor(timestamp / 1_000) * 1_000;
  return Date.parse(`${parisLocal.format(timestamp).replace(' ', 'T')}Z`) - wholeSeconds;
}

/** Formats a date and time for people in France, with the time zone: `2026-11-25 14:00:00 CET`. */
export function parisText(instant: Date): string {
  return `${parisLocal.format(instant)} ${parisOffset(instant.getTime()) > HOUR_MS ? 'CEST' : 'CET'}`;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const parisLocal = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Paris',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** Returns the timestamp at which clocks in France show a minute of a day (`YYYY-MM-DD`), as `parisInstant` does. */
export function parisTimestamp(day: string, minuteOfDay: number): number {
  const shown = new Date(Date.parse(`${day}T00:00Z`) + minuteOfDay * MINUTE_MS);
  return parisInstant(shown.toISOString().slice(0, 19)).getTime();
}

/** Formats a date and time for people in France: `28 Nov 2026, 14:03`. */
export function dateTimeText(instant: Date, language: Language = 'en'): string {
  return parisDateTime[language].format(instant);
}

const parisDateTime = formats({
  timeZone: 'Europe/Paris',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

/** Formats a calendar day (`2026-11-28`) for people: `28 Nov 2026`. */
export function dayText(day: string, language: Language = 'en'): string {
  return calendarDay[language].format(new Date(`${day}T00:00:00Z`));
}

const calendarDay = formats({ timeZone: 'UTC', day: 'numeric', month: 'short', year: 'numeric' });

/** Formats a time of the coming weeks for people in France: `Sat 12 Dec, 22:00`. */
export function weekdayText(instant: Date, language: Language = 'en'): string {
  return parisWeekday[language].format(instant);
}

const parisWeekday = formats({
  timeZone: 'Europe/Paris',
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
});

function formats(options: Intl.DateTimeFormatOptions): Readonly<Record<Language, Intl.DateTimeFormat>> {
  return { en: new Intl.DateTimeFormat('en-GB', options), fr: new Intl.DateTimeFormat('fr-FR', options) };
}
