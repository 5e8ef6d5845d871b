import type { ServerResponse } from 'node:http';
import { createSlots } from '../slots.ts';
import { HungUp } from './request-bytes.ts';

/** After this time the next body is admitted: the current one waits for something else, such as a database lock. */
const RELEASE_AFTER_MS = 500;

/**
 * Serializes the work on large bodies, from scanning to the response. Several parsed bodies at the same time would multiply memory use and
 * lengthen garbage collections, and bodies waiting for the same thing, such as the list of suppliers, would all resume in one iteration of
 * the event loop.
 */
export interface LargeBodyMutex {
  /**
   * Runs the work when all earlier bodies are done, first come, first served.
   * @throws HungUp if the client disconnects before
   */
  run<Outcome>(response: ServerResponse, work: () => Promise<Outcome>): Promise<Outcome>;
}

/** @param heldMs longest time that a body delays the others */
export function createLargeBodyMutex(releaseAfterMs = RELEASE_AFTER_MS): LargeBodyMutex {
  const slots = createSlots({ atOnce: 1, releaseAfterMs });
  return {
    run: async (response, work) => {
      const disconnected = new AbortController();
      const leave = () => disconnected.abort();
      response.once('close', leave);
      // `close` is not emitted again.
      if (response.closed) leave();
      const release = await slots.acquire('large body', disconnected.signal);
      response.removeListener('close', leave);
      if (release === undefined) throw new HungUp();
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}
