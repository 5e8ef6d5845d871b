import { LRUCache } from 'lru-cache';

/** A cache for a short time. */
export interface ShortCache<Key, Answer, Context = void> {
  /** Returns the cached answer if it is fresh enough. */
  get(key: Key): Answer | undefined;
  /** Returns the cached answer or that of a query in progress, otherwise starts a query. Rejects like the query. */
  fetch(key: Key, context: Context): Promise<Answer>;
  /** Drops the answer. A query in progress still answers its callers, but its answer is not cached. */
  forget(key: Key): void;
}

interface ShortCacheOptions<Key, Answer, Context> {
  /** The query. Failures are not cached. */
  load: (key: Key, context: Context) => Promise<Answer>;
  /** How long an answer stays cached after its query started. A function receives the duration of the query. */
  forMs: number | ((answer: Answer, durationMs: number) => number);
  /** A query in progress for longer is not joined but repeated. Unset, there is at most one query per key. */
  joinedForMs?: number;
  /** Maximum number of cached answers; the least recently used is evicted first. */
  max?: number;
  /** Monotonic clock, in milliseconds. */
  now?: (() => number) | undefined;
}

/** The library returns an answer whose age equals its lifetime; here that is too old, so the lifetime is this much shorter. */
const MARGIN_MS = 0.001;

/** Creates a cache that any number of callers share. Age counts from before the query, so that an answer is never older than promised. */
export function createShortCache<Key extends {}, Answer extends {}, Context = void>({
  load,
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
    // The library treats a clock value or lifetime of 0 as missing.
    perf: { now: () => now() + 1 },
    // The library aborts queries of entries that are dropped or evicted; their callers still need the answer.
    ignoreFetchAbort: true,
    fetchMethod: async (key, _stale, { options, context: { context } }) => {
      const startedAt = now();
      const answer = await load(key, context);
      const durationMs = now() - startedAt;
      options.ttl = lifeOf(answer, durationMs) - durationMs - MARGIN_MS || -1;
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
