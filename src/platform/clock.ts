/** The process's wall clock; tests replace it to set the day on which rules are validated. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The calendar day (`YYYY-MM-DD`) of an instant in France, with which dates of payloads are validated. */
export function parisDay(instant: Date): string {
  // Days begin at whole minutes, and formatting costs more than all the rest of a small request.
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

/** The minute of the day of an instant in France, 0 to 1439. */
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

/** The instant at which a calendar day (`YYYY-MM-DD`) begins in France, moved by whole days. */
export function parisMidnight(day: string, daysOn = 0): Date {
  const utc = new Date(`${day}T00:00:00Z`);
  utc.setUTCDate(utc.getUTCDate() + daysOn);
  return parisInstant(utc.toISOString().slice(0, 19));
}

/** The instant of a local date and time (`2026-11-25T14:00`) in France. Of the hour that comes twice in autumn, the first. */
export function parisInstant(local: string): Date {
  const asUtc = Date.parse(`${local}Z`);
  const offsetAt = (instant: number) => Date.parse(`${parisLocal.format(instant).replace(' ', 'T')}Z`) - instant;
  const [before, after] = [offsetAt(asUtc - DAY_MS), offsetAt(asUtc + DAY_MS)];
  const early = asUtc - before;
  return new Date(offsetAt(early) === before ? early : asUtc - after);
}

/** A date and time as people in France read it, with the zone: `2026-11-25 14:00:00 CET`. */
export function parisText(instant: Date): string {
  const local = parisLocal.format(instant);
  const isSummer = Date.parse(`${local.replace(' ', 'T')}Z`) - Math.floor(instant.getTime() / 1_000) * 1_000 > HOUR_MS;
  return `${local} ${isSummer ? 'CEST' : 'CET'}`;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const parisLocal = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Europe/Paris',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/**
 * The time at which clocks in France show a minute of a day: the first one where they show it twice, and as much later as clocks go
 * forward where they skip it.
 * @param day `YYYY-MM-DD`
 */
export function parisTimestamp(day: string, minuteOfDay: number): number {
  const shown = Date.parse(`${day}T00:00Z`) + minuteOfDay * MINUTE_MS;
  const before = parisOffset(shown - DAY_MS);
  const after = parisOffset(shown + DAY_MS);
  const isAfterChange = parisOffset(shown - before) !== before && parisOffset(shown - after) === after;
  return shown - (isAfterChange ? after : before);
}

function parisOffset(timestamp: number): number {
  const instant = new Date(timestamp);
  const shown = Date.parse(`${parisFormat.format(instant)}T00:00Z`) + parisMinuteOfDay(instant) * MINUTE_MS;
  return shown - Math.floor(timestamp / MINUTE_MS) * MINUTE_MS;
}
