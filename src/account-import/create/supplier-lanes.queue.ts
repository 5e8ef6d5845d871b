/** Counts of one import supplier, or of all together. */
interface LaneCounts {
  /** Requests that have no answer yet. */
  requests: number;
  /** Those of them whose entry is in no run yet. */
  waitingRequests: number;
  /** Entries that are in no run yet; they outlive their requests. */
  waitingEntries: number;
  openRuns: number;
  placesTaken: number;
  /** Runs that hold a place and were started a moment ago: it is worth waiting for their end. */
  youngRuns: number;
  /** Entries that were answered a moment ago, less those that have come since: who asked for them may well ask for the next ones at once. */
  expectedBack: number;
}

interface Lane<Entry> extends LaneCounts {
  waiting: Entry[];
}

export interface LaneLimits {
  runsInFlight: number;
  batchSize: number;
  runsOpenMax: number;
  requestsWaitingMax: number;
}

/** The entries that wait for a run, kept apart by import supplier. */
export interface SupplierLanes<Entry> {
  /** The counts of all suppliers together. */
  readonly all: Readonly<LaneCounts>;
  count(importSupplier: string, what: Exclude<keyof LaneCounts, 'waitingEntries' | 'expectedBack'>, by: number): void;
  /** Delays the next run for the given number of entries; the returned function stops waiting for those that have not come. */
  expectBack(importSupplier: string, entries: number): () => void;
  enqueue(importSupplier: string, entry: Entry): void;
  /**
   * Whether another request of this supplier is accepted.
   * @param request `waits`: its entry is in no run yet; `adds`: it brings a new entry
   */
  hasRoom(importSupplier: string, request: { waits: boolean; adds: boolean }): boolean;
  /** Takes out the entries that go next, all of one supplier; undefined when no run may start. */
  next(): { importSupplier: string; batch: Entry[] } | undefined;
}

/**
 * Keeps capacity for other suppliers: one supplier may hold this many times the free capacity. Alone it gets three quarters, two
 * get three sevenths each, and so on.
 */
const TIMES_WHAT_IS_FREE = 3;
/** A supplier without a slot gets one even when all are taken, up to this many times their number. */
const PLACES_BEYOND = 2;

const COUNTED = [
  'requests',
  'waitingRequests',
  'waitingEntries',
  'openRuns',
  'placesTaken',
  'youngRuns',
  'expectedBack',
] as const satisfies (keyof LaneCounts)[];
const nothing = () => Object.fromEntries(COUNTED.map((name) => [name, 0])) as unknown as LaneCounts;

function isWorthARun<Entry>({ waiting, youngRuns, expectedBack }: Lane<Entry>, batchSize: number): boolean {
  return waiting.length >= batchSize || (waiting.length > 0 && youngRuns === 0 && expectedBack === 0);
}

/**
 * Chooses the supplier with the fewest slots; among equals, the one that was served longest ago. A run costs as much as ten
 * accounts in it, so a supplier has one at a time unless another batch is full or the run is slow (docs/decisions/0069-one-creation-run-per-supplier.md).
 */
export function createSupplierLanes<Entry>(limits: LaneLimits): SupplierLanes<Entry> {
  const all = nothing();
  // In the order of their last turns.
  const lanes = new Map<string, Lane<Entry>>();
  const fits = (lane: LaneCounts, what: keyof LaneCounts, max: number) =>
    lane[what] < TIMES_WHAT_IS_FREE * (max - all[what]);

  function count(importSupplier: string, what: keyof LaneCounts, by: number): void {
    const lane = lanes.get(importSupplier) ?? { waiting: [], ...nothing() };
    lane[what] += by;
    all[what] += by;
    // Empty queues are removed, because suppliers come and go.
    if (COUNTED.every((name) => lane[name] === 0)) lanes.delete(importSupplier);
    else lanes.set(importSupplier, lane);
  }

  const expectLess = (importSupplier: string, entries: number) =>
    count(importSupplier, 'expectedBack', -Math.min(entries, lanes.get(importSupplier)?.expectedBack ?? 0));

  const mayStart = (lane: Lane<Entry>): boolean =>
    isWorthARun(lane, limits.batchSize) &&
    fits(lane, 'openRuns', limits.runsOpenMax) &&
    (all.placesTaken < limits.runsInFlight ||
      (lane.placesTaken === 0 && all.placesTaken < PLACES_BEYOND * limits.runsInFlight));

  return {
    all,
    count,
    expectBack: (importSupplier, entries) => {
      count(importSupplier, 'expectedBack', entries);
      return () => expectLess(importSupplier, entries);
    },
    enqueue: (importSupplier, entry) => {
      count(importSupplier, 'waitingEntries', 1);
      expectLess(importSupplier, 1);
      lanes.get(importSupplier)?.waiting.push(entry);
    },
    hasRoom: (importSupplier, { waits, adds }) => {
      const lane = lanes.get(importSupplier) ?? nothing();
      return (
        fits(lane, 'requests', limits.requestsWaitingMax + limits.runsOpenMax * limits.batchSize) &&
        (!waits || fits(lane, 'waitingRequests', limits.requestsWaitingMax)) &&
        (!adds || fits(lane, 'waitingEntries', limits.requestsWaitingMax))
      );
    },
    next: () => {
      let chosen: [string, Lane<Entry>] | undefined;
      for (const one of lanes) {
        if (mayStart(one[1]) && (chosen === undefined || one[1].placesTaken < chosen[1].placesTaken)) chosen = one;
      }
      if (chosen === undefined) return undefined;
      const [importSupplier, lane] = chosen;
      const batch = lane.waiting.splice(0, limits.batchSize);
      lanes.delete(importSupplier);
      lanes.set(importSupplier, lane);
      count(importSupplier, 'waitingEntries', -batch.length);
      return { importSupplier, batch };
    },
  };
}
