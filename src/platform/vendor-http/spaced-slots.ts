import { setTimeout as sleep } from 'node:timers/promises';

/** Resolves to true when the next call may start; to false, without using a slot, if that is after `before` (of `performance.now()`). */
export type NextSlot = (options?: { signal?: AbortSignal | undefined; before?: number }) => Promise<boolean>;

/** Spaces the starts of calls to a party. */
export function spacedSlots(spacingMs: number): NextSlot {
  let nextAt = 0;
  return async ({ signal, before = Number.POSITIVE_INFINITY } = {}) => {
    const now = performance.now();
    const at = Math.max(now, nextAt);
    if (at > before) return false;
    nextAt = at + spacingMs;
    if (at > now) await sleep(at - now, undefined, { signal });
    signal?.throwIfAborted();
    return true;
  };
}
