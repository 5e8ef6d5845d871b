import { flushCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What V8 is told in every process of the service. Of an unknown name it would only print that it is none. */
export const engineFlags = {
  /**
   * The heap may grow by so much of what was in use before V8 collects all of it, in percent. Left to itself V8 waits for up to four times of
   * it, and what was left of an attack stayed for as long as others called (docs/decisions/0033-attack-tests-with-a-bystander.md).
   */
  'heap-growing-percent': 75,
  /**
   * The part of the heap for what is new begins with 1 MB, and V8 doubles it as long as things outlive it. Under load all requests
   * under way do, at first many times over; now the first step leads to 16 MB (docs/decisions/0068-full-speed-after-a-start.md).
   */
  'semi-space-growth-factor': 16,
  /**
   * So many calls of a function until V8 compiles it for full speed. It counts by length: most functions of a request, which leave out much of
   * what they could do, are called some four times as often before. From 3,000 it took 11,500 requests, now 2,000 (docs/decisions/0068-full-speed-after-a-start.md).
   */
  'invocation-count-for-turbofan': 500,
};

/** Sets them, once a process has started: what was compiled under other flags is not taken from the compile cache at the next start. */
export function tuneEngine(): void {
  // Where NODE_COMPILE_CACHE is set; a process that is killed would keep nothing.
  flushCompileCache();
  for (const [name, value] of Object.entries(engineFlags)) setFlagsFromString(`--${name}=${value}`);
  collectGarbage();
}

/**
 * Collects all that a start has left behind. Else V8 does so after thousands of requests, and until then what is dead keeps what is new alive:
 * three times as much of each request is copied into the old part of the heap (docs/decisions/0068-full-speed-after-a-start.md).
 */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  collect();
}
