import { expect, test } from '@jest/globals';
import type { FileCost } from './file-costs.ts';
import { inOrder } from './test-order.ts';

const waits = (seconds: number): FileCost => ({ seconds, processor: 0 });
/** With what its servers do for it one processor is all its own. */
const computes = (seconds: number): FileCost => ({ seconds, processor: seconds / 1.5 });
const orderOf = (costs: Record<string, FileCost>, lanes: number) => inOrder(new Map(Object.entries(costs)), lanes);

test('of each kind the longest comes first', () => {
  expect(orderOf({ a: waits(1), b: waits(3), c: waits(2) }, 2)).toEqual(['b', 'c', 'a']);
  expect(orderOf({ a: computes(1), b: computes(3), c: computes(2) }, 2)).toEqual(['b', 'c', 'a']);
});

test('one that waits is begun as soon as two that compute are under way, however long others compute', () => {
  const costs = { wait: waits(10), compute1: computes(40), compute2: computes(39), compute3: computes(38) };
  expect(orderOf(costs, 3)).toEqual(['compute1', 'compute2', 'wait', 'compute3']);
});

test('a lane that those who wait leave free is taken by whoever computes', () => {
  const costs = {
    waits: waits(60),
    short1: computes(4),
    short2: computes(4),
    short3: computes(4),
    short4: computes(4),
  };
  expect(orderOf(costs, 3)).toEqual(['short1', 'short2', 'waits', 'short3', 'short4']);
});

test('none is lost, whatever they cost', () => {
  const costs = Object.fromEntries(
    Array.from({ length: 50 }, (_one, index) => [index, index % 3 ? waits(index) : computes(index)]),
  );
  for (const lanes of [1, 2, 6, 100]) expect(orderOf(costs, lanes).sort()).toEqual(Object.keys(costs).sort());
});
