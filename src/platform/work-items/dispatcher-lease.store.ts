import { run, type Queryable, type PreparedQuery } from '../database/prepared-query.ts';

/**
 * The right to start due work, held by one process at a time. The fencing token grows with each holder, so that a process that hung or was
 * cut off detects that another one has acquired the lease.
 */
export interface Lease {
  fencingNumber: string;
}

/** Another process has acquired the lease. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Longer than a start, so that only a process that hangs, is cut off or has died loses the lease. */
const LEASE_SECONDS = 10;

// Uses only the database's clock, so the clocks of processes need not agree. An expiry beyond the longest lease was written before that
// clock was set back, and is invalid; fencing stops its holder.
const IS_OVER = `(held_until <= clock_timestamp() or held_until > clock_timestamp() + make_interval(secs => ${2 * LEASE_SECONDS}))`;

const ACQUIRE: PreparedQuery = {
  name: 'dispatcher-lease-take',
  text: `
    update dispatcher_lease
    set fencing_number = fencing_number + 1, holder = $1, held_since = clock_timestamp(), held_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where name = 'work-items' and (holder is null or ${IS_OVER}) and (not $2 or holder is not null)
    returning fencing_number`,
};

const RENEW: PreparedQuery = {
  name: 'dispatcher-lease-renew',
  text: `
    update dispatcher_lease set held_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where name = 'work-items' and fencing_number = $1 and holder is not null returning 1 as held`,
};

const END: PreparedQuery = {
  name: 'dispatcher-lease-end',
  text: `
    update dispatcher_lease set holder = null, held_since = null, held_until = clock_timestamp(), last_swept_at = case when $2 then clock_timestamp() else last_swept_at end
    where name = 'work-items' and fencing_number = $1`,
};

const READ: PreparedQuery = {
  name: 'dispatcher-lease-read',
  text: `
    select holder, held_since, holder is not null and ${IS_OVER} as is_overdue, last_swept_at
    from dispatcher_lease where name = 'work-items'`,
};

/**
 * Acquires the lease if it is free or expired.
 * @param holder shown to operators
 * @param options.onlyAbandoned acquires only an expired lease, not a released one
 */
export async function acquireLease(
  database: Queryable,
  holder: string,
  options: { onlyAbandoned: boolean },
): Promise<Lease | undefined> {
  const [row] = await run<{ fencing_number: string }>(database, ACQUIRE, [holder, options.onlyAbandoned]);
  return row && { fencingNumber: row.fencing_number };
}

/** @throws LeaseLost if another process has the lease */
export async function renewLease(database: Queryable, { fencingNumber }: Lease): Promise<void> {
  const [row] = await run(database, RENEW, [fencingNumber]);
  if (row === undefined) throw new LeaseLost();
}

/** Releases the lease; no effect if another process has it. @param isComplete whether the round is complete */
export async function endLease(database: Queryable, { fencingNumber }: Lease, isComplete: boolean): Promise<void> {
  await run(database, END, [fencingNumber, isComplete]);
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
export async function readDispatcher(database: Queryable): Promise<Dispatcher> {
  const [lease] = await run<{
    holder: string | null;
    held_since: Date | null;
    is_overdue: boolean;
    last_swept_at: Date | null;
  }>(database, READ, []);
  return {
    holder: lease?.holder ?? null,
    heldSince: lease?.held_since ?? null,
    isOverdue: lease?.is_overdue ?? false,
    lastSweptAt: lease?.last_swept_at ?? null,
  };
}
