import type { ServerResponse } from 'node:http';
import { createTurns } from '../turns.ts';
import { HungUp } from './request-bytes.ts';

/** Work that takes longer waits for something else, such as a lock in the database; the others need not wait for that too. */
const HELD_MS = 500;

/**
 * Lets one large body be worked on at a time, from the first look at its bytes until its answer is made. Several trees at once take the
 * memory of several and make each collection of garbage longer; and bodies that wait for one thing, such as the list of the
 * suppliers, would all go on in one turn of the event loop.
 */
export interface LargeBodyTurns {
  /**
   * Does the work when it is its turn, in the order of asking.
   * @throws HungUp if its client has gone before
   */
  run<Outcome>(response: ServerResponse, work: () => Promise<Outcome>): Promise<Outcome>;
}

/** @param heldMs longest that a body keeps the others waiting */
export function createLargeBodyTurns(heldMs = HELD_MS): LargeBodyTurns {
  const turns = createTurns({ atOnce: 1, heldMs });
  return {
    run: async (response, work) => {
      const gone = new AbortController();
      const leave = () => gone.abort();
      response.once('close', leave);
      // `close` is not emitted again.
      if (response.closed) leave();
      const giveBack = await turns.take('large body', gone.signal);
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
