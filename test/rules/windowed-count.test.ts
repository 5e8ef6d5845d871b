import { expect, test } from '@jest/globals';
import { countInWindows } from '../../src/platform/windowed-count.ts';

test('begins a window with its first count, ends it after its length, and ignores uncounted entries', () => {
  let now = 0;
  const counts = countInWindows({ windowMs: 60_000, namesMax: 10, now: () => now });
  expect([counts.add('a'), counts.add('a'), counts.add('b'), counts.of('c')]).toEqual([1, 2, 1, 0]);
  counts.revert('a');
  counts.revert('c');
  expect([counts.of('a'), counts.of('c')]).toEqual([1, 0]);
  now = 59_500;
  expect([counts.of('a'), counts.secondsLeft('a')]).toEqual([1, 1]);
  now = 60_000;
  expect([counts.of('a'), counts.add('a'), counts.secondsLeft('a')]).toEqual([0, 1, 60]);
});

test('limits the number of names, and forgets the oldest window first', () => {
  const counts = countInWindows({ windowMs: 60_000, namesMax: 3, now: () => 0 });
  for (const name of ['a', 'b', 'c', 'd']) counts.add(name);
  expect(['a', 'b', 'c', 'd'].map((name) => counts.of(name))).toEqual([0, 1, 1, 1]);
});
