import type { Log } from '../log.ts';
import { repeatEvery } from '../../foundation/repeat.ts';
import { run, type PreparedQuery, type Queryable } from './prepared-query.ts';

/** `jumped`: the database's clock was set within the last minute. */
export type ClockState = 'ok' | 'jumped';

export interface ClockWatch {
  state(): ClockState;
  stop(): Promise<void>;
}

const READ_CLOCK: PreparedQuery = {
  name: 'read-clock',
  text: 'select 1000 * extract(epoch from clock_timestamp())::float8 as "databaseMs"',
};

const EVERY_MS = 5_000;
/** Gradual clock correction changes less than this between two readings. */
const JUMP_MS = 2_000;
const REPORTED_FOR_MS = 60_000;

/** Compares the database's clock with the process's monotonic clock and logs jumps, because leases, slots and scheduled times depend on it. */
export function watchClock(options: {
  database: Queryable;
  log: Log;
  everyMs?: number;
  /** Called when the clock was set back, and retried until it succeeds. */
  onSetBack?: () => Promise<void>;
}): ClockWatch {
  const { database, log, everyMs = EVERY_MS, onSetBack } = options;
  let known: { min: number; max: number } | undefined;
  let jumpedAt = -Infinity;
  const read = async (): Promise<void> => {
    const requestedMs = performance.now();
    const [row] = await run<{ databaseMs: number }>(database, READ_CLOCK, []);
    const { databaseMs = NaN } = row ?? {};
    // Lower and upper bound of the offset between the database's clock and this process's clock.
    const offset = { min: databaseMs - performance.now(), max: databaseMs - requestedMs };
    const jumpMs = known === undefined ? 0 : distance(known, offset);
    if (jumpMs <= -JUMP_MS) await onSetBack?.();
    known = offset;
    if (Math.abs(jumpMs) < JUMP_MS) return;
    jumpedAt = performance.now();
    log.warn({ jumpSeconds: Math.round(jumpMs / 1_000) }, "the database's clock jumped");
  };
  // An unavailable database is reported elsewhere.
  const stop = repeatEvery(everyMs, () => read().catch(() => {}));
  return { state: () => (performance.now() - jumpedAt < REPORTED_FOR_MS ? 'jumped' : 'ok'), stop };
}

/** Distance by which `next` differs from `last`; 0 if they overlap. */
function distance(last: { min: number; max: number }, next: { min: number; max: number }): number {
  if (next.min > last.max) return next.min - last.max;
  return next.max < last.min ? next.max - last.min : 0;
}
