import type { ServerResponse } from 'node:http';

/** Time slice per iteration of the event loop: longest time of work on bodies before everything else may run. */
const TIME_SLICE_MS = 10;
/** Longest that a step of a large body waits for short requests, which may wait for other work themselves. */
const STEP_TIMEOUT_MS = 10;

/**
 * Fair scheduling of work on bodies. Without it, bodies that arrive together would all be processed in one iteration of the event
 * loop, and nothing else would run until the last is done. When the time slice of an iteration is used, the other bodies wait for
 * the next iterations. A step of a large body shares its iteration with small bodies only, and small bodies do not queue
 * behind it. A short request takes several iterations and would wait for such a step in each, so the step waits for the request.
 */
export interface EventLoopScheduler {
  /**
   * Undefined if there is time in this iteration, as is nearly always the case; otherwise resolves in a later one, first come, first served.
   * @param isLong no other long step may run in the same iteration
   */
  take(isLong?: boolean): Promise<void> | undefined;
  /** Counts a short request until it is answered or the client disconnects. */
  prioritize(response: ServerResponse): void;
}

/** @param timeoutMs longest that a step of a large body waits for short requests */
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
    take: (isLong = false) => {
      if (isLong) return long.take();
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

/** The steps of large bodies: one per iteration, delayed while short requests are in progress. */
function createLongSteps(timeoutMs: number): { take(): Promise<void>; waitFor: EventLoopScheduler['prioritize'] } {
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
    take: () =>
      new Promise((resolve) => {
        steps.push(resolve);
        if (!isPlanned) setImmediate(begin);
        isPlanned = true;
      }),
    waitFor: (response) => {
      // `close` would never be emitted.
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
