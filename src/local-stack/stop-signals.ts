import { once } from 'node:events';

/** npm passes on a Ctrl-C that the terminal has sent to its script as well, so one press arrives twice, within milliseconds. */
const ONE_PRESS_MS = 1_000;

/**
 * Listens for SIGTERM and SIGINT. The first one asks for an orderly stop; one that comes later, and is no echo of it, ends the process at once
 * with status 1.
 * @param onFirst told of the first one, to say that the stop has begun
 * @returns aborted by the first one
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

/** Resolves once the stop has been asked for. */
export async function untilStopped(stopping: AbortSignal): Promise<void> {
  if (!stopping.aborted) await once(stopping, 'abort');
}
