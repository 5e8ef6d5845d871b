/** Counts of one import supplier, or of all together. */
interface QueueCounts {
  /** Requests that have no answer yet. */
  requests: number;
  /** Requests whose entry is not in a run yet. */
  waitingRequests: number;
  /** Entries that are not in a run yet; they remain after their requests time out. */
  waitingEntries: number;
  openRuns: number;
  /** Runs that hold a slot; a slow run releases its slot before it ends. */
  slotsTaken: number;
  /** Runs that started less than RECENT_RUN_MS ago: the next batch waits for their end. */
  recentRuns: number;
  /** Entries answered a moment ago minus entries received since: their callers probably send the next requests immediately. */
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

/** The entries that wait for a run, in one queue per import supplier. */
export interface SupplierQueues<Entry> {
  /** The counts of all suppliers together. */
  readonly all: Readonly<QueueCounts>;
  count(
    importSupplier: string,
    counter: Exclude<keyof QueueCounts, 'waitingEntries' | 'expectedRequests'>,
    by: number,
  ): void;
  /** Delays the next run for the given number of entries; the returned function stops waiting for those that have not come. */
  expectRequests(importSupplier: string, entries: number): () => void;
  enqueue(importSupplier: string, entry: Entry): void;
  /**
   * Whether another request of this supplier is accepted.
   * @param request `waits`: its entry is in no run yet; `adds`: it brings a new entry
   */
  hasCapacity(importSupplier: string, request: { waits: boolean; adds: boolean }): boolean;
  /** Removes the next batch, all of one supplier. @returns undefined if no run may start */
  next(): { importSupplier: string; batch: Entry[] } | undefined;
}

/**
 * Keeps capacity for other suppliers: one supplier may hold this many times the free capacity. Alone it gets three quarters, two
 * get three sevenths each, and so on.
 */
const FREE_CAPACITY_FACTOR = 3;
/** A supplier without a slot gets one even if all are taken, up to this many times the number of slots. */
const EXTRA_SLOTS_FACTOR = 2;

const COUNTED = [
  'requests',
  'waitingRequests',
  'waitingEntries',
  'openRuns',
  'slotsTaken',
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
 * Chooses the supplier with the fewest slots; among equals, the one that was served longest ago. A run costs as much as ten
 * accounts in it, so a supplier has one at a time unless another batch is full or the run is slow (docs/decisions/0069-one-creation-run-per-supplier.md).
 */
export function createSupplierQueues<Entry>(limits: BatchLimits): SupplierQueues<Entry> {
  const all = zeroCounts();
  // In the order in which they were last served.
  const queues = new Map<string, SupplierQueue<Entry>>();
  const isWithinShare = (queue: QueueCounts, counter: keyof QueueCounts, max: number) =>
    queue[counter] < FREE_CAPACITY_FACTOR * (max - all[counter]);

  function count(importSupplier: string, counter: keyof QueueCounts, by: number): void {
    const queue = queues.get(importSupplier) ?? { waiting: [], ...zeroCounts() };
    queue[counter] += by;
    all[counter] += by;
    // Empty queues are removed, because suppliers come and go.
    if (COUNTED.every((name) => queue[name] === 0)) queues.delete(importSupplier);
    else queues.set(importSupplier, queue);
  }

  const expectFewer = (importSupplier: string, entries: number) =>
    count(importSupplier, 'expectedRequests', -Math.min(entries, queues.get(importSupplier)?.expectedRequests ?? 0));

  const mayStart = (queue: SupplierQueue<Entry>): boolean =>
    isBatchReady(queue, limits.batchSize) &&
    isWithinShare(queue, 'openRuns', limits.runsOpenMax) &&
    (all.slotsTaken < limits.runsInFlight ||
      (queue.slotsTaken === 0 && all.slotsTaken < EXTRA_SLOTS_FACTOR * limits.runsInFlight));

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
      const [chosen] = ready.toSorted(([, one], [, other]) => one.slotsTaken - other.slotsTaken);
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
