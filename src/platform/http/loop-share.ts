import type { ServerResponse } from 'node:http';

/** How long bodies are worked on before everything else has its turn again. */
const SHARE_MS = 10;
/** One of the short requests that are waited for may itself wait for something else. */
const TIMEOUT_MS = 10;

/**
 * Bodies that arrived together would all be worked on in one turn of the event loop, and nothing else would happen
 * until the last of them is done. When those of this turn have used up its share, the others come in the next ones. A
 * step of a large body has a turn that it shares with small ones only, and small ones do not queue behind it. A short request
 * takes several turns, and would wait for such a step in each of them: so the step waits for the request.
 */
export interface LoopShare {
  /**
   * Undefined when there is time in this turn, as nearly always; else resolves in a later one, in the order of asking.
   * @param isLong no other long step may run in the same event-loop turn
   */
  take(isLong?: boolean): Promise<void> | undefined;
  /** Counts a short request until it is answered or the client disconnects. */
  putFirst(response: ServerResponse): void;
}

/** @param timeoutMs longest wait of a step of a large body for short requests */
export function createLoopShare(timeoutMs = TIMEOUT_MS): LoopShare {
  const long = createLongSteps(timeoutMs);
  let begunAt: number | undefined;
  const short: (() => void)[] = [];
  const nextTurn = () => {
    if (short.length === 0) {
      begunAt = undefined;
      return;
    }
    begunAt = performance.now();
    setImmediate(nextTurn);
    short.shift()?.();
  };
  return {
    putFirst: long.waitFor,
    take: (isLong = false) => {
      if (isLong) return long.take();
      if (begunAt === undefined) {
        begunAt = performance.now();
        setImmediate(nextTurn);
      }
      if (short.length === 0 && performance.now() - begunAt < SHARE_MS) return undefined;
      return new Promise((resolve) => {
        short.push(resolve);
      });
    },
  };
}

/** The steps of large bodies: one in a turn, and none for a while where short requests are under way. */
function createLongSteps(timeoutMs: number): { take(): Promise<void>; waitFor: LoopShare['putFirst'] } {
  const steps: (() => void)[] = [];
  let shortRequests = 0;
  let isPlanned = false;
  let patience: NodeJS.Timeout | undefined;
  const make = () => {
    patience = undefined;
    steps.shift()?.();
    isPlanned = steps.length > 0;
    if (isPlanned) setImmediate(begin);
  };
  const begin = () => {
    if (shortRequests === 0) make();
    else patience = setTimeout(make, timeoutMs);
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
        if (shortRequests > 0 || patience === undefined) return;
        clearTimeout(patience);
        patience = undefined;
        setImmediate(make);
      });
    },
  };
}
