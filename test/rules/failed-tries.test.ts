import { expect, test } from '@jest/globals';
import { countFailedTries, FAILED_TRIES_MAX } from '../../src/access/failed-tries.rules.ts';

const one = (address: string, secretStart: string) => ({ address, secretStart });

test('a key has used up its tries from an address until the minute is over; other keys and addresses have not', () => {
  let now = 0;
  const tries = countFailedTries(() => now);
  const last = Array.from({ length: FAILED_TRIES_MAX.key }, () => tries.add(one('a', 'key-1')));
  expect(last.indexOf(true)).toBe(FAILED_TRIES_MAX.key - 1);
  expect(tries.usedUpFor(one('a', 'key-1'))).toBe(60);
  expect([tries.usedUpFor(one('a', 'key-2')), tries.usedUpFor(one('b', 'key-1'))]).toEqual([undefined, undefined]);
  now = 59_500;
  expect(tries.usedUpFor(one('a', 'key-1'))).toBe(1);
  now = 60_000;
  expect(tries.usedUpFor(one('a', 'key-1'))).toBeUndefined();
});

test('an address that tries one key after the other has used up its tries for all of them', () => {
  const tries = countFailedTries(() => 0);
  for (let count = 0; count < FAILED_TRIES_MAX.address; count += 1) tries.add(one('a', `key-${count}`));
  expect([tries.usedUpFor(one('a', 'another')), tries.usedUpFor(one('b', 'another'))]).toEqual([60, undefined]);
});

test('only so many are remembered', () => {
  const tries = countFailedTries(() => 0);
  for (let count = 0; count < FAILED_TRIES_MAX.key; count += 1) tries.add(one('first', 'key'));
  for (let other = 0; other < 5_000; other += 1) tries.add(one(`other-${other}`, 'key'));
  expect(tries.usedUpFor(one('first', 'key'))).toBeUndefined();
});
