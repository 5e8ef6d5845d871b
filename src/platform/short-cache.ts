import { LRUCache } from 'lru-cache';

/** Answers that are kept for a short while. */
export interface ShortCache<Key, Answer, Context = void> {
  /** The answer, if it is kept and young enough. */
  get(key: Key): Answer | undefined;
  /** The kept answer, or that of the question under way, or else asks. Rejects as the question does. */
  fetch(key: Key, context: Context): Promise<Answer>;
  /** Drops the answer. A question under way still answers those who asked it, and its answer is not kept. */
  forget(key: Key): void;
}

interface ShortCacheOptions<Key, Answer, Context> {
  /** The question. A failure is not kept: the next one asks again. */
  ask: (key: Key, context: Context) => Promise<Answer>;
  /** How long an answer stays cached after the request began. A function receives the duration of the request. */
  forMs: number | ((answer: Answer, tookMs: number) => number);
  /** A question that is under way for longer is not joined but asked again. Without it there is never more than one. */
  joinedForMs?: number;
  /** Answers that are kept; the one that was not used for longest goes first. */
  max?: number;
  /** Milliseconds of a clock that never goes back. */
  now?: (() => number) | undefined;
}

/** The library gives an answer out until it is older than its life; here one as old as that is too old, so its life ends this much sooner. */
const MARGIN_MS = 0.001;

/**
 * Makes a cache for a short while: any number of callers cost what one does. Ages count from before the question, so that
 * no answer is older than promised when it is given.
 */
export function createShortCache<Key extends {}, Answer extends {}, Context = void>({
  ask,
  forMs,
  joinedForMs = Number.MAX_SAFE_INTEGER,
  max = 1,
  now = () => performance.now(),
}: ShortCacheOptions<Key, Answer, Context>): ShortCache<Key, Answer, Context> {
  const lifeOf = typeof forMs === 'number' ? () => forMs : forMs;
  const cache = new LRUCache<Key, Answer, { context: Context }>({
    max,
    ttl: joinedForMs,
    ttlResolution: 0,
    // The library takes a clock at 0, and a life of 0, for "no time given".
    perf: { now: () => now() + 1 },
    // The library aborts requests of entries that are dropped or evicted; their callers still need the answer.
    ignoreFetchAbort: true,
    fetchMethod: async (key, _stale, { options, context: { context } }) => {
      const askedAt = now();
      const answer = await ask(key, context);
      const tookMs = now() - askedAt;
      options.ttl = lifeOf(answer, tookMs) - tookMs - MARGIN_MS || -1;
      return answer;
    },
  });
  const dropOld = (key: Key): void => {
    if (cache.getRemainingTTL(key) <= 0) cache.delete(key);
  };
  return {
    get: (key) => cache.get(key),
    fetch: (key, context) => {
      dropOld(key);
      return cache.forceFetch(key, { context: { context } });
    },
    forget: (key) => {
      cache.delete(key);
    },
  };
}
