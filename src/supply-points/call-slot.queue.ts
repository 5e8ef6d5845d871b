import { setTimeout as sleep } from 'node:timers/promises';
import type { TakenSlots } from './throttle.store.ts';

/** A call may be made now, or not for so long (null: not before the speed is set anew). */
export type CallSlot = { isFree: true } | { isFree: false; waitSeconds: number | null };

/** The calls of this process to one operator, in the order in which they asked. */
export interface CallSlots {
  /** Resolves at the moment at which the call may be made. */
  next(): Promise<CallSlot>;
}

/** Whoever would wait longer gives its page back instead of holding it. */
const LONGEST_WAIT_MS = 2_000;
/** A call that goes out later than this would crowd the calls after it together: its slot is let go. */
const LATE_MS = 15;
/** Slots that come from the database too late are let go too, unless it is always that slow. */
const LATE_BLOCKS_MAX = 3;
const BLOCK_MAX = 200;

/**
 * Hands out slots of an operator's throttle to the calls of this process.
 * @param take takes slots of all workers' common throttle
 */
export function createCallSlots(take: (wanted: number) => Promise<TakenSlots>): CallSlots {
  const waiting: { resolve: (slot: CallSlot) => void; reject: (error: unknown) => void }[] = [];
  let promised = 0;
  let isTaking = false;
  let lateBlocks = 0;

  const serve = async (): Promise<void> => {
    if (isTaking) return;
    isTaking = true;
    try {
      while (waiting.length > promised) {
        const asked = performance.now();
        const taken = await take(Math.min(waiting.length - promised, BLOCK_MAX));
        lateBlocks = performance.now() - asked > LATE_MS && lateBlocks < LATE_BLOCKS_MAX ? lateBlocks + 1 : 0;
        if ('count' in taken && lateBlocks > 0 && taken.everyMs > 1) continue;
        if ('count' in taken) promise(taken);
        else if (taken.waitMs === null || taken.waitMs > LONGEST_WAIT_MS) sendAway(taken.waitMs);
        else await sleep(Math.max(taken.waitMs, 1));
      }
    } catch (error) {
      for (const one of waiting.splice(promised)) one.reject(error);
    } finally {
      isTaking = false;
    }
  };

  const promise = ({ count, firstMs, everyMs }: { count: number; firstMs: number; everyMs: number }): void => {
    const now = performance.now();
    for (let index = 0; index < count; index += 1) {
      const due = now + firstMs + index * everyMs;
      promised += 1;
      if (due - now < 1) use(due);
      else setTimeout(() => use(due), due - now);
    }
  };
  const use = (due: number): void => {
    promised -= 1;
    if (performance.now() - due > LATE_MS) void serve();
    else waiting.shift()?.resolve({ isFree: true });
  };
  const sendAway = (waitMs: number | null): void => {
    for (const one of waiting.splice(promised)) one.resolve({ isFree: false, waitSeconds: waitMs === null ? null : waitMs / 1_000 });
  };
  return {
    next: () => new Promise((resolve, reject) => {
      waiting.push({ resolve, reject });
      // In the next turn, so that calls which ask together are served by one statement.
      setImmediate(() => void serve());
    }),
  };
}
