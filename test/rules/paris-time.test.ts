import { expect, test } from '@jest/globals';
import { parisInstant, parisMidnight, parisText } from '../../src/platform/clock.ts';

test.each([
  ['2026-01-15', '2026-01-14T23:00:00.000Z', '2026-01-15T23:00:00.000Z'],
  ['2026-07-15', '2026-07-14T22:00:00.000Z', '2026-07-15T22:00:00.000Z'],
  ['2026-03-29', '2026-03-28T23:00:00.000Z', '2026-03-29T22:00:00.000Z'],
  ['2026-10-25', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ['2026-12-31', '2026-12-30T23:00:00.000Z', '2026-12-31T23:00:00.000Z'],
])('begins and ends the day %s in France at its midnights', (day, begin, end) => {
  expect([parisMidnight(day).toISOString(), parisMidnight(day, 1).toISOString()]).toEqual([begin, end]);
});

test.each([
  ['2026-11-25T14:00', '2026-11-25T13:00:00.000Z', '2026-11-25 14:00:00 CET'],
  ['2026-07-01T14:00', '2026-07-01T12:00:00.000Z', '2026-07-01 14:00:00 CEST'],
  ['2026-03-29T01:59', '2026-03-29T00:59:00.000Z', '2026-03-29 01:59:00 CET'],
  ['2026-03-29T03:00', '2026-03-29T01:00:00.000Z', '2026-03-29 03:00:00 CEST'],
  ['2026-10-25T02:30', '2026-10-25T00:30:00.000Z', '2026-10-25 02:30:00 CEST'],
  ['2026-10-25T03:00', '2026-10-25T02:00:00.000Z', '2026-10-25 03:00:00 CET'],
])('reads the local time %s in France as %s, and shows it with its zone', (local, instant, text) => {
  expect(parisInstant(local).toISOString()).toBe(instant);
  expect(parisText(new Date(instant))).toBe(text);
});
