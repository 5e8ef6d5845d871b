/** Counters of one import supplier, or of all together. */
interface QueueCounts {
  /** Unanswered requests. */
  requests: number;
  /** Requests whose entry is not in a run yet. */
  waitingRequests: number;
  /** Entries that are not in a run yet. They remain after their requests time out. */
  waitingEntries: number;
  openRuns: number;
  /** Runs that hold a slot; a slow run releases its slot before it ends. */
  slotsInUse: number;
  /** Runs that started less than `RECENT_RUN_MS` ago. The next batch waits for them. */
  recentRuns: number;
  /** Entries just answered, minus entries received since: their callers will probably send the next requests immediately. */
  expectedRequests: number;
}

interface SupplierQueue<Entry> extends QueueCounts {
  waiting: Entry[];
}

export interface BatchLimits {
  runsInFlight: number;
  batchSize: number;
  runsOpenMax: number;
  requestsWaitingMax: number;
}

/** Entries waiting for a run, in one queue per import supplier. */
export interface SupplierQueues<Entry> {
  /** Counters of all suppliers together. */
  readonly all: Readonly<QueueCounts>;
  count(
    importSupplier: string,
    counter: Exclude<keyof QueueCounts, 'waitingEntries' | 'expectedRequests'>,
    by: number,
  ): void;
  /** Delays the next run until this number of entries arrives. The returned function stops waiting for missing ones. */
  expectRequests(importSupplier: string, entries: number): () => void;
  enqueue(importSupplier: string, entry: Entry): void;
  /**
   * Whether another request of this supplier is accepted.
   * @param request `waits`: its entry is not in a run yet; `adds`: it adds an entry
   */
  hasCapacity(importSupplier: string, request: { waits: boolean; adds: boolean }): boolean;
  /** Removes the next batch, all of one supplier. @returns undefined if no run may start */
  next(): { importSupplier: string; batch: Entry[] } | undefined;
}

/**
 * Keeps capacity free for other suppliers: a supplier may hold up to this multiple of the free capacity. One supplier alone gets three
 * quarters, two get three sevenths each, and so on.
 */
const FREE_CAPACITY_FACTOR = 3;
/** A supplier without a slot gets one even if all are taken, up to this multiple of the number of slots. */
const EXTRA_SLOTS_FACTOR = 2;

const COUNTED = [
  'requests',
  'waitingRequests',
  'waitingEntries',
  'openRuns',
  'slotsInUse',
  'recentRuns',
  'expectedRequests',
] as const satisfies (keyof QueueCounts)[];
const zeroCounts = () => Object.fromEntries(COUNTED.map((name) => [name, 0])) as unknown as QueueCounts;

function isBatchReady<Entry>(
  { waiting, recentRuns, expectedRequests }: SupplierQueue<Entry>,
  batchSize: number,
): boolean {
  return waiting.length >= batchSize || (waiting.length > 0 && recentRuns === 0 && expectedRequests === 0);
}

/**
 * Chooses the supplier with the fewest slots; among equals, the least recently served. A run costs as much as ten of its accounts, so a
 * supplier has one run at a time unless another batch is full or the run is slow (docs/decisions/0069-one-creation-run-per-supplier.md).
 */
export function createSupplierQueues<Entry>(limits: BatchLimits): SupplierQueues<Entry> {
  const all = zeroCounts();
  // Ordered by when each supplier was last served.
  const queues = new Map<string, SupplierQueue<Entry>>();
  const isWithinShare = (queue: QueueCounts, counter: keyof QueueCounts, max: number) =>
    queue[counter] < FREE_CAPACITY_FACTOR * (max - all[counter]);

  function count(importSupplier: string, counter: keyof QueueCounts, by: number): void {
    const queue = queues.get(importSupplier) ?? { waiting: [], ...zeroCounts() };
    queue[counter] += by;
    all[counter] += by;
    // Removes empty queues, because suppliers come and go.
    if (COUNTED.every((name) => queue[name] === 0)) queues.delete(importSupplier);
    else queues.set(importSupplier, queue);
  }

  const expectFewer = (importSupplier: string, entries: number) =>
    count(importSupplier, 'expectedRequests', -Math.min(entries, queues.get(importSupplier)?.expectedRequests ?? 0));

  const mayStart = (queue: SupplierQueue<Entry>): boolean =>
    isBatchReady(queue, limits.batchSize) &&
    isWithinShare(queue, 'openRuns', limits.runsOpenMax) &&
    (all.slotsInUse < limits.runsInFlight ||
      (queue.slotsInUse === 0 && all.slotsInUse < EXTRA_SLOTS_FACTOR * limits.runsInFlight));

  return {
    all,
    count,
    expectRequests: (importSupplier, entries) => {
      count(importSupplier, 'expectedRequests', entries);
      return () => expectFewer(importSupplier, entries);
    },
    enqueue: (importSupplier, entry) => {
      count(importSupplier, 'waitingEntries', 1);
      expectFewer(importSupplier, 1);
      queues.get(importSupplier)?.waiting.push(entry);
    },
    hasCapacity: (importSupplier, { waits, adds }) => {
      const queue = queues.get(importSupplier) ?? zeroCounts();
      return (
        isWithinShare(queue, 'requests', limits.requestsWaitingMax + limits.runsOpenMax * limits.batchSize) &&
        (!waits || isWithinShare(queue, 'waitingRequests', limits.requestsWaitingMax)) &&
        (!adds || isWithinShare(queue, 'waitingEntries', limits.requestsWaitingMax))
      );
    },
    next: () => {
      const ready = [...queues].filter(([, queue]) => mayStart(queue));
      const [chosen] = ready.toSorted(([, one], [, other]) => one.slotsInUse - other.slotsInUse);
      if (chosen === undefined) return undefined;
      const [importSupplier, queue] = chosen;
      const batch = queue.waiting.splice(0, limits.batchSize);
      queues.delete(importSupplier);
      queues.set(importSupplier, queue);
      count(importSupplier, 'waitingEntries', -batch.length);
      return { importSupplier, batch };
    },
  };
}
