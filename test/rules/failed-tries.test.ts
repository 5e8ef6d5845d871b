import { expect, test } from '@jest/globals';
import { countFailedTries, FAILED_TRIES_MAX } from '../../src/access/failed-tries.rules.ts';

test('an address has used up its tries until its minute is over, others have not', () => {
  let now = 0;
  const tries = countFailedTries(() => now);
  for (let count = 0; count < FAILED_TRIES_MAX - 1; count += 1) tries.add('a');
  expect(tries.areUsedUp('a')).toBe(false);
  tries.add('a');
  expect(tries.areUsedUp('a')).toBe(true);
  expect(tries.areUsedUp('b')).toBe(false);
  now = 59_999;
  expect(tries.areUsedUp('a')).toBe(true);
  now = 60_000;
  expect(tries.areUsedUp('a')).toBe(false);
});

test('only so many addresses are remembered', () => {
  const tries = countFailedTries(() => 0);
  for (let count = 0; count < FAILED_TRIES_MAX; count += 1) tries.add('first');
  for (let other = 0; other < 10_000; other += 1) tries.add(`other-${other}`);
  expect(tries.areUsedUp('first')).toBe(false);
});
