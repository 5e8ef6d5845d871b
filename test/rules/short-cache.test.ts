import { expect, test } from '@jest/globals';
import { createShortCache } from '../../src/platform/short-cache.ts';

/** A cache whose queries the test answers one after the other. */
function cacheOf(options: {
  max?: number;
  joinedForMs?: number;
  forMs?: (answer: string, durationMs: number) => number;
}) {
  const clock = { now: 0 };
  const queries: { key: string; answer(text: string): void; fail(error: Error): void }[] = [];
  const cache = createShortCache<string, string>({
    load: (key) => new Promise((answer, fail) => queries.push({ key, answer, fail })),
    forMs: 100,
    now: () => clock.now,
    ...options,
  });
  return { cache, clock, asked: queries };
}

test('gives all concurrent callers one answer, whose age counts from before the query', async () => {
  const { cache, clock, asked: queries } = cacheOf({});
  const both = [cache.fetch('a'), cache.fetch('a')];
  clock.now = 60;
  queries[0]!.answer('first');
  expect(await Promise.all(both)).toEqual(['first', 'first']);
  clock.now = 99;
  expect([cache.get('a'), await cache.fetch('a')]).toEqual(['first', 'first']);
  clock.now = 100;
  expect(cache.get('a')).toBeUndefined();
  void cache.fetch('a');
  expect(queries).toHaveLength(2);
});

test('returns an answer that took longer than its lifetime, and does not cache it', async () => {
  const { cache, clock, asked: queries } = cacheOf({});
  const slow = cache.fetch('a');
  clock.now = 100;
  queries[0]!.answer('old');
  expect(await slow).toBe('old');
  expect(cache.get('a')).toBeUndefined();
});

test('derives the lifetime from the answer and its duration', async () => {
  const { cache, clock, asked: queries } = cacheOf({ forMs: (_answer, durationMs) => 5 * durationMs });
  const answer = cache.fetch('a');
  clock.now = 50;
  queries[0]!.answer('a');
  await answer;
  clock.now = 249;
  expect(cache.get('a')).toBe('a');
  clock.now = 250;
  expect(cache.get('a')).toBeUndefined();
});

test('joins a pending query without limit, or for the given time', async () => {
  for (const [joinedForMs, questions] of [
    [undefined, 1],
    [100, 2],
  ] as const) {
    const { cache, clock, asked: queries } = cacheOf(joinedForMs === undefined ? {} : { joinedForMs });
    void cache.fetch('a');
    clock.now = 10_000;
    void cache.fetch('a');
    expect(queries).toHaveLength(questions);
  }
});

test('reports a failure to all callers, and queries again for the next one', async () => {
  const { cache, asked: queries } = cacheOf({});
  const both = Promise.allSettled([cache.fetch('a'), cache.fetch('a')]);
  queries[0]!.fail(new Error('away'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const again = cache.fetch('a');
  queries[1]!.answer('back');
  expect(await again).toBe('back');
});

test('returns an answer that was evicted or forgotten during its query, and does not cache it', async () => {
  const { cache, asked: queries } = cacheOf({ max: 1 });
  const [first, second] = [cache.fetch('a'), cache.fetch('b')];
  queries[0]!.answer('a');
  queries[1]!.answer('b');
  expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 'b']);
  cache.forget('b');
  const third = cache.fetch('b');
  cache.forget('b');
  queries[2]!.answer('third');
  expect(await third).toBe('third');
  expect(cache.get('b')).toBeUndefined();
});
