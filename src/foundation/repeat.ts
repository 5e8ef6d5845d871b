import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Repeats work, with a pause after each run.
 * @param work must not reject. @param stopping is aborted when the repetition ends
 * @returns a function that ends the repetition and waits for the run in progress
 */
export function repeatEvery(pauseMs: number, work: (stopping: AbortSignal) => Promise<unknown>): () => Promise<void> {
  const stopping = new AbortController();
  const repeating = (async () => {
    while (!stopping.signal.aborted) {
      await work(stopping.signal);
      await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
  })();
  return async () => {
    stopping.abort();
    await repeating;
  };
}
