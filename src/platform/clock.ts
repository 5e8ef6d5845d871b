/** The process's wall clock; one place, so that tests can set the day on which rules are judged. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The calendar day (`YYYY-MM-DD`) of an instant in France, on which dates of payloads are judged. */
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
