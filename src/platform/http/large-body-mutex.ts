import type { ServerResponse } from 'node:http';
import { createSlots } from '../slots.ts';
import { HungUp } from './request-bytes.ts';

/** After this time the next body is admitted: the current one is waiting for something else, such as a lock in the database. */
const HELD_MS = 500;

/**
 * Serializes the work on large bodies, from the first look at the bytes until the response is made. Several parsed bodies at the same
 * time would multiply the memory and lengthen each garbage collection; and bodies that wait for the same thing, such as the
 * list of suppliers, would all continue in one iteration of the event loop.
 */
export interface LargeBodyMutex {
  /**
   * Does the work when all earlier bodies are done, first come, first served.
   * @throws HungUp if the client has disconnected before
   */
  run<Outcome>(response: ServerResponse, work: () => Promise<Outcome>): Promise<Outcome>;
}

/** @param heldMs longest that a body delays the others */
export function createLargeBodyMutex(heldMs = HELD_MS): LargeBodyMutex {
  const slots = createSlots({ atOnce: 1, heldMs });
  return {
    run: async (response, work) => {
      const gone = new AbortController();
      const leave = () => gone.abort();
      response.once('close', leave);
      // `close` is not emitted again.
      if (response.closed) leave();
      const giveBack = await slots.take('large body', gone.signal);
      response.removeListener('close', leave);
      if (giveBack === undefined) throw new HungUp();
      try {
        return await work();
      } finally {
        giveBack();
      }
    },
  };
}
