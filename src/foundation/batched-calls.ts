interface Call<Item, Result> {
  item: Item;
  resolve(result: Result): void;
  reject(error: unknown): void;
}

export interface BatchedCalls<Item, Result> {
  /** Calls that are running or waiting. */
  readonly size: number;
  /** Resolves with the result of the item. Rejects if its batch fails. */
  add(item: Item): Promise<Result>;
}

/**
 * Runs calls in batches, one batch at a time: calls that arrive during a batch form the next one.
 * @param run runs a batch, and returns the result of each item
 */
export function batchCalls<Item, Result>(
  batchMax: number,
  run: (items: readonly Item[]) => Promise<(item: Item) => Result>,
): BatchedCalls<Item, Result> {
  const waiting: Call<Item, Result>[] = [];
  let running = 0;
  const runBatches = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.splice(0, batchMax);
      running = batch.length;
      try {
        const resultOf = await run(batch.map(({ item }) => item));
        for (const { item, resolve } of batch) resolve(resultOf(item));
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
      running = 0;
    }
  };
  const size = () => waiting.length + running;
  return {
    get size() {
      return size();
    },
    add: (item) =>
      new Promise((resolve, reject) => {
        const isIdle = size() === 0;
        waiting.push({ item, resolve, reject });
        if (isIdle) void runBatches();
      }),
  };
}
