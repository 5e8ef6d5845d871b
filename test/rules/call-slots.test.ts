import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createCallSlots } from '../../src/supply-points/throttle/call-slot.queue.ts';
import type { ReservedSlots } from '../../src/supply-points/throttle/throttle.store.ts';

beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** Slots of a database that grants the given number, a tenth of a second apart, and then never answers again. */
function slotsOnce(count: number) {
  let isFirst = true;
  return createCallSlots(() => {
    if (!isFirst) return new Promise<ReservedSlots>(() => {});
    isFirst = false;
    const databaseMs = performance.now();
    return Promise.resolve({ databaseMs, count, firstMs: databaseMs + 100, everyMs: 100 });
  });
}

function seek(slots: ReturnType<typeof createCallSlots>, results: string[], name: string, forMs: number): void {
  void slots
    .next({ owner: 'one', endsAt: performance.now() + forMs })
    .then(({ isFree }) => results.push(`${name} ${isFree ? 'asks' : 'goes'}`));
}

test('gives granted slots to callers whose time has passed meanwhile, if there are no others', async () => {
  const results: string[] = [];
  const slots = slotsOnce(2);
  for (const name of ['a', 'b', 'c']) seek(slots, results, name, 50);
  await jest.advanceTimersByTimeAsync(99);
  expect(results).toEqual([]);
  await jest.advanceTimersByTimeAsync(2);
  expect(results).toEqual(['c goes', 'a asks']);
  await jest.advanceTimersByTimeAsync(100);
  expect(results).toEqual(['c goes', 'a asks', 'b asks']);
});

test('gives a slot to a caller with time left, and ends the others', async () => {
  const results: string[] = [];
  const slots = slotsOnce(1);
  seek(slots, results, 'a', 50);
  await jest.advanceTimersByTimeAsync(60);
  seek(slots, results, 'b', 1_000);
  await jest.advanceTimersByTimeAsync(50);
  expect(results).toEqual(['a goes', 'b asks']);
});
