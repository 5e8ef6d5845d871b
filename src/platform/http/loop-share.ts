/** How long bodies are worked on before everything else has its turn again. */
const SHARE_MS = 20;

/**
 * Bodies that arrived together would all be worked on in one turn of the event loop, and nothing else would happen
 * until the last of them is done. When those of this turn have used up its share, the others come in the next ones. A
 * step of a large body has a turn that it shares with small ones only, and small ones do not queue behind it.
 */
export interface LoopShare {
  /**
   * Undefined when there is time in this turn, as nearly always; else resolves in a later one, in the order of asking.
   * @param isLong what follows takes so long that no other such step may be in the same turn
   */
  take(isLong?: boolean): Promise<void> | undefined;
}

export function createLoopShare(): LoopShare {
  let begunAt: number | undefined;
  const short: (() => void)[] = [];
  const long: (() => void)[] = [];
  const nextTurn = () => {
    if (short.length + long.length === 0) {
      begunAt = undefined;
      return;
    }
    begunAt = performance.now();
    setImmediate(nextTurn);
    short.shift()?.();
    long.shift()?.();
  };
  return {
    take: (isLong = false) => {
      if (begunAt === undefined) {
        begunAt = performance.now();
        setImmediate(nextTurn);
      }
      if (!isLong && short.length === 0 && performance.now() - begunAt < SHARE_MS) return undefined;
      return new Promise((resolve) => {
        (isLong ? long : short).push(resolve);
      });
    },
  };
}
