import { expect, test } from '@jest/globals';
import { createShortCache } from '../../src/platform/short-cache.ts';

/** A cache whose questions are answered by the test, one after the other. */
function cacheOf(options: { max?: number; joinedForMs?: number; forMs?: (answer: string, tookMs: number) => number }) {
  const clock = { now: 0 };
  const asked: { key: string; answer(text: string): void; fail(error: Error): void }[] = [];
  const cache = createShortCache<string, string>({
    ask: (key) => new Promise((answer, fail) => asked.push({ key, answer, fail })),
    forMs: 100,
    now: () => clock.now,
    ...options,
  });
  return { cache, clock, asked };
}

test('all who ask meanwhile get one answer; its age counts from before the question', async () => {
  const { cache, clock, asked } = cacheOf({});
  const both = [cache.fetch('a'), cache.fetch('a')];
  clock.now = 60;
  asked[0]!.answer('first');
  expect(await Promise.all(both)).toEqual(['first', 'first']);
  clock.now = 99;
  expect([cache.get('a'), await cache.fetch('a')]).toEqual(['first', 'first']);
  clock.now = 100;
  expect(cache.get('a')).toBeUndefined();
  void cache.fetch('a');
  expect(asked).toHaveLength(2);
});

test('an answer that took longer than it holds is given and not kept', async () => {
  const { cache, clock, asked } = cacheOf({});
  const slow = cache.fetch('a');
  clock.now = 100;
  asked[0]!.answer('old');
  expect(await slow).toBe('old');
  expect(cache.get('a')).toBeUndefined();
});

test('how long an answer holds may depend on it and on how long it took', async () => {
  const { cache, clock, asked } = cacheOf({ forMs: (_answer, tookMs) => 5 * tookMs });
  const answer = cache.fetch('a');
  clock.now = 50;
  asked[0]!.answer('a');
  await answer;
  clock.now = 249;
  expect(cache.get('a')).toBe('a');
  clock.now = 250;
  expect(cache.get('a')).toBeUndefined();
});

test('a question under way is joined for ever, or for as long as is said', async () => {
  for (const [joinedForMs, questions] of [
    [undefined, 1],
    [100, 2],
  ] as const) {
    const { cache, clock, asked } = cacheOf(joinedForMs === undefined ? {} : { joinedForMs });
    void cache.fetch('a');
    clock.now = 10_000;
    void cache.fetch('a');
    expect(asked).toHaveLength(questions);
  }
});

test('a failure is told to all who asked, and the next one asks again', async () => {
  const { cache, asked } = cacheOf({});
  const both = Promise.allSettled([cache.fetch('a'), cache.fetch('a')]);
  asked[0]!.fail(new Error('away'));
  expect((await both).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  const again = cache.fetch('a');
  asked[1]!.answer('back');
  expect(await again).toBe('back');
});

test('what is pushed out or forgotten while it is asked for is answered, and not kept', async () => {
  const { cache, asked } = cacheOf({ max: 1 });
  const [first, second] = [cache.fetch('a'), cache.fetch('b')];
  asked[0]!.answer('a');
  asked[1]!.answer('b');
  expect(await Promise.all([first, second])).toEqual(['a', 'b']);
  expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 'b']);
  cache.forget('b');
  const third = cache.fetch('b');
  cache.forget('b');
  asked[2]!.answer('third');
  expect(await third).toBe('third');
  expect(cache.get('b')).toBeUndefined();
});
