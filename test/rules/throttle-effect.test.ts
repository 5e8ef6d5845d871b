import { expect, test } from '@jest/globals';
import { effectOfSpeed, USED_SHARE, usedPerSecond } from '../../src/supply-points/throttle/throttle.rules.ts';

const NOW = Date.parse('2026-11-20T12:00:00Z');
const speed = (requests_per_second: number, requests_per_hour = requests_per_second * 3_600) => ({
  requests_per_second,
  requests_per_hour,
});

test('uses the lower of both limits, and slightly less', () => {
  expect(usedPerSecond(speed(5, 10_000))).toBe(2.681);
  expect(usedPerSecond(speed(2, 36_000))).toBe(1.93);
  expect(usedPerSecond(speed(0, 36_000))).toBe(0);
});

test('forecasts an end by points and speed', () => {
  const perSecond = 10 / USED_SHARE;
  expect(effectOfSpeed(speed(perSecond), 36_000, NOW)).toEqual({
    ...speed(perSecond),
    used_per_second: 10,
    million_ends_at: new Date(NOW + 100_000_000).toISOString(),
    pending_ends_at: '2026-11-20T13:00:00.000Z',
  });
});

test.each([
  ['paused', 0],
  ['so slow that no date can express the end', 1e-9],
])('forecasts no end while it is %s', (_how, perSecond) => {
  expect(effectOfSpeed(speed(perSecond), 5, NOW)).toMatchObject({ million_ends_at: null, pending_ends_at: null });
});

test('forecasts no end of points that are not pending', () => {
  expect(effectOfSpeed(speed(1), 0, NOW).pending_ends_at).toBeNull();
});
