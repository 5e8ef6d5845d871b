import { raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { emOf, kyselyOf, type Queryable } from '../database/prepared-query.ts';
import { DispatcherLease, type DispatcherLeaseTable } from './dispatcher-lease.entity.ts';

/**
 * The right to run the tasks of a round, held by one process at a time. The fencing token grows with each holder, so that a process that hung or was
 * cut off detects that another one has acquired the lease.
 */
export interface Lease {
  fencingNumber: string;
}

/** Another process has acquired the lease. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Longer than the interval of renewals, so that only a process that hangs, is cut off or has died loses the lease. */
const LEASE_SECONDS = 10;

// Uses only the database's clock, so the clocks of processes need not agree.
const CLOCK = 'clock_timestamp()';
const UNTIL = `clock_timestamp() + interval '${LEASE_SECONDS} seconds'`;
// An expiry beyond the longest lease was written before that clock was set back, and is invalid; fencing stops its holder.
const isOver = sql<boolean>`(held_until <= clock_timestamp() or held_until > clock_timestamp() + make_interval(secs => ${2 * LEASE_SECONDS}))`;

/**
 * Acquires the lease if it is free or expired.
 * @param holder shown to operators
 */
export async function acquireLease(database: Queryable, holder: string): Promise<Lease | undefined> {
  return kyselyOf<DispatcherLeaseTable>(database)
    .updateTable('dispatcher_lease')
    .set((now) => ({
      fencing_number: now('fencing_number', '+', '1'),
      holder,
      held_since: sql.raw<Date>(CLOCK),
      held_until: sql.raw<Date>(UNTIL),
    }))
    .where((is) => is.or([is('holder', 'is', null), isOver]))
    .returning('fencing_number as fencingNumber')
    .executeTakeFirst();
}

/** @throws LeaseLost if another process has the lease */
export async function renewLease(database: Queryable, { fencingNumber }: Lease): Promise<void> {
  const isHeld = { fencingNumber, holder: { $ne: null } };
  const renewed = await emOf(database).nativeUpdate(DispatcherLease, isHeld, { heldUntil: raw(UNTIL) });
  if (renewed === 0) throw new LeaseLost();
}

/** Releases the lease; no effect if another process has it. @param isComplete whether the round is complete */
export async function endLease(database: Queryable, { fencingNumber }: Lease, isComplete: boolean): Promise<void> {
  const released = { holder: null, heldSince: null, heldUntil: raw(CLOCK) };
  const swept = isComplete ? { lastSweptAt: raw(CLOCK) } : {};
  await emOf(database).nativeUpdate(DispatcherLease, { fencingNumber }, { ...released, ...swept });
}

/** The process that starts due work. */
export interface Dispatcher {
  /** Host and process id; null between two rounds. */
  holder: string | null;
  heldSince: Date | null;
  /** Whether the holder did not renew its lease in time: it hangs, is cut off or has died. */
  isOverdue: boolean;
  /** End of the last complete round; null before the first. */
  lastSweptAt: Date | null;
}

/** Reads the holder of the lease. */
export function readDispatcher(database: Queryable): Promise<Dispatcher> {
  return kyselyOf<DispatcherLeaseTable>(database)
    .selectFrom('dispatcher_lease')
    .select(['holder', 'held_since as heldSince', 'last_swept_at as lastSweptAt'])
    .select(sql<boolean>`holder is not null and ${isOver}`.as('isOverdue'))
    .executeTakeFirstOrThrow();
}
