/** How long bodies are worked on before everything else has its turn again. */
const SHARE_MS = 20;

/**
 * Bodies that arrived together would all be worked on in one turn of the event loop, and nothing else would happen
 * until the last of them is done. When those of this turn have used up its share, the others come in the next ones.
 */
export interface LoopShare {
  /**
   * Undefined when there is time in this turn, as nearly always; else resolves in a later one, in the order of asking.
   * @param isLong what follows takes a turn of its own
   */
  take(isLong?: boolean): Promise<void> | undefined;
}

export function createLoopShare(): LoopShare {
  let begunAt: number | undefined;
  const queue: (() => void)[] = [];
  const nextTurn = () => {
    begunAt = performance.now();
    const first = queue.shift();
    if (first) first();
    else begunAt = undefined;
    if (first) setImmediate(nextTurn);
  };
  return {
    take: (isLong = false) => {
      if (begunAt === undefined) {
        begunAt = performance.now();
        setImmediate(nextTurn);
        if (!isLong) return undefined;
      }
      if (!isLong && queue.length === 0 && performance.now() - begunAt < SHARE_MS) return undefined;
      return new Promise((resolve) => { queue.push(resolve); });
    },
  };
}
