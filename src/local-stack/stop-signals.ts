import { once } from 'node:events';

/** npm forwards a Ctrl-C that the terminal also sends to the script, so that a single press arrives twice within milliseconds. */
const ONE_PRESS_MS = 1_000;

/**
 * Listens for SIGTERM and SIGINT. The first signal starts an orderly stop. A later one, except a duplicate of the first, exits immediately
 * with status 1.
 * @param onFirst called for the first signal, to report that the stop has begun
 * @returns a signal that the first signal aborts
 */
export function listenForStop(onFirst: () => void): AbortSignal {
  const stopping = new AbortController();
  let firstAt = 0;
  const stop = () => {
    if (stopping.signal.aborted) {
      if (performance.now() - firstAt > ONE_PRESS_MS) process.exit(1);
      return;
    }
    firstAt = performance.now();
    onFirst();
    stopping.abort();
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return stopping.signal;
}

/** Resolves when a stop is requested. */
export async function untilStopped(stopping: AbortSignal): Promise<void> {
  if (!stopping.aborted) await once(stopping, 'abort');
}
