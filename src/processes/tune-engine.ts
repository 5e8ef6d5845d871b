import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8 flags of every process of the service. V8 ignores unknown flags with a message. */
export const engineFlags = {
  /**
   * Growth of the heap, in percent of its live size, before a full collection. By default V8 waits for up to four times the live size, and
   * the memory of an attack was kept while other callers sent requests (docs/decisions/0033-attack-tests-with-a-bystander.md).
   */
  'heap-growing-percent': 75,
  /**
   * The young generation starts at 1 MB, and V8 doubles it while objects survive. Under load all requests in progress survive; with this
   * factor the first step leads to 16 MB (docs/decisions/0068-full-speed-after-a-start.md).
   */
  'semi-space-growth-factor': 16,
  /**
   * Calls of a function before V8 optimizes it, scaled by its length. With the default of 3,000 full speed took 11,500 requests, with this
   * value 2,000 (docs/decisions/0068-full-speed-after-a-start.md).
   */
  'invocation-count-for-turbofan': 500,
};

/** Sets the flags after startup, because code compiled under other flags is not reused from the compile cache. */
export function tuneEngine(): void {
  // No effect unless NODE_COMPILE_CACHE is set. Called now, because a killed process would not store its cache.
  flushCompileCache();
  for (const [name, value] of Object.entries(engineFlags)) setFlagsFromString(`--${name}=${value}`);
  collectGarbage();
}

/**
 * Collects the garbage of the startup. Otherwise V8 does so after thousands of requests, and until then dead objects keep new ones alive:
 * three times as much of each request is copied into the old generation (docs/decisions/0068-full-speed-after-a-start.md).
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
