import type { ServerResponse } from 'node:http';

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
  const long = createLongSteps(timeoutMs);
  let sliceBegunAt: number | undefined;
  const short: (() => void)[] = [];
  const nextIteration = () => {
    if (short.length === 0) {
      sliceBegunAt = undefined;
      return;
    }
    sliceBegunAt = performance.now();
    setImmediate(nextIteration);
    short.shift()?.();
  };
  return {
    prioritize: long.waitFor,
    acquire: (isLong = false) => {
      if (isLong) return long.acquire();
      if (sliceBegunAt === undefined) {
        sliceBegunAt = performance.now();
        setImmediate(nextIteration);
      }
      if (short.length === 0 && performance.now() - sliceBegunAt < TIME_SLICE_MS) return undefined;
      return new Promise((resolve) => {
        short.push(resolve);
      });
    },
  };
}

/** Steps of large bodies: one per iteration, delayed while short requests are in progress. */
function createLongSteps(timeoutMs: number): { acquire(): Promise<void>; waitFor: EventLoopScheduler['prioritize'] } {
  const steps: (() => void)[] = [];
  let shortRequests = 0;
  let isPlanned = false;
  let timer: NodeJS.Timeout | undefined;
  const make = () => {
    timer = undefined;
    steps.shift()?.();
    isPlanned = steps.length > 0;
    if (isPlanned) setImmediate(begin);
  };
  const begin = () => {
    if (shortRequests === 0) make();
    else timer = setTimeout(make, timeoutMs);
  };
  return {
    acquire: () =>
      new Promise((resolve) => {
        steps.push(resolve);
        if (!isPlanned) setImmediate(begin);
        isPlanned = true;
      }),
    waitFor: (response) => {
      // `close` has already been emitted.
      if (response.closed) return;
      shortRequests += 1;
      response.on('close', () => {
        shortRequests -= 1;
        if (shortRequests > 0 || timer === undefined) return;
        clearTimeout(timer);
        timer = undefined;
        setImmediate(make);
      });
    },
  };
}
