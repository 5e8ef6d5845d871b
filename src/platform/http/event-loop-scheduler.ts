import type { ServerResponse } from 'node:http';
import { setImmediate as nextIteration } from 'node:timers/promises';

/** Time slice for work on bodies per iteration of the event loop. */
const TIME_SLICE_MS = 10;
/** Longest time that a step of a large body waits for short requests. */
const STEP_TIMEOUT_MS = 10;

/**
 * Fair scheduling of work on bodies. Without it, bodies that arrive together would all be processed in one iteration of the event loop and
 * block everything else. When the time slice of an iteration is used up, the remaining bodies wait for later iterations. A step of a large
 * body shares its iteration with small bodies only, and small bodies do not queue behind it. A short request takes several iterations and
 * could wait for such a step in each, so the step waits for the request.
 */
export interface EventLoopScheduler {
  /**
   * Returns undefined if there is time in this iteration, which is the usual case. Otherwise resolves in a later iteration, first come,
   * first served.
   * @param isLong whether no other long step may run in the same iteration
   */
  acquire(isLong?: boolean): Promise<void> | undefined;
  /** Counts a short request until it is answered or the client disconnects. */
  prioritize(response: ServerResponse): void;
}

/** @param timeoutMs longest time that a step of a large body waits for short requests */
export function createEventLoopScheduler(timeoutMs = STEP_TIMEOUT_MS): EventLoopScheduler {
  const waiting: (() => void)[] = [];
  let sliceBegunAt: number | undefined;
  let lastStep = Promise.resolve();
  let shortRequests = 0;
  let onAnswered = () => {};
  const beginSlice = () => {
    sliceBegunAt = performance.now();
    setImmediate(endSlice);
  };
  const endSlice = () => {
    sliceBegunAt = undefined;
    if (waiting.length === 0) return;
    beginSlice();
    waiting.shift()?.();
  };
  /** Steps of large bodies: one per iteration, delayed while short requests are in progress. */
  const step = async (): Promise<void> => {
    await nextIteration();
    if (shortRequests === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, timeoutMs);
    onAnswered = resolve;
    await promise;
    clearTimeout(timer);
    await nextIteration();
  };
  return {
    prioritize: (response) => {
      // `close` has already been emitted.
      if (response.closed) return;
      shortRequests += 1;
      response.on('close', () => {
        shortRequests -= 1;
        if (shortRequests === 0) onAnswered();
      });
    },
    acquire: (isLong = false) => {
      if (isLong) return (lastStep = lastStep.then(step));
      if (sliceBegunAt === undefined) beginSlice();
      if (waiting.length === 0 && performance.now() - sliceBegunAt! < TIME_SLICE_MS) return undefined;
      return new Promise((resolve) => {
        waiting.push(resolve);
      });
    },
  };
}
