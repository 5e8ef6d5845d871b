import type { Queryable, PreparedQuery } from '../database/database.ts';

/**
 * The right to start due work. Only one process has it at a time, for as long as it keeps renewing it. The number grows
 * with each holder: a process that was frozen or cut off finds by it that another has taken over since.
 */
export interface Lease {
  fencingNumber: string;
}

/** Raised when another process has taken over meanwhile. */
export class LeaseLost extends Error {
  override name = 'LeaseLost';
}

/** Longer than one start may take, so that it is lost only by a process that is frozen, cut off or gone. */
const LEASE_SECONDS = 10;

// The database's clock alone counts, so the clocks of the processes need not agree.
const TAKE: PreparedQuery = {
  name: 'dispatcher-lease-take',
  text: `
    update dispatcher_lease
    set fencing_number = fencing_number + 1, holder = $1, held_since = clock_timestamp(), held_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
    where name = 'work-items' and held_until <= clock_timestamp() and (not $2 or holder is not null)
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

const DEFER: PreparedQuery = {
  name: 'dispatcher-lease-defer-work',
  text: `
    with lease as (
      update dispatcher_lease set held_until = clock_timestamp() + make_interval(secs => ${LEASE_SECONDS})
      where name = 'work-items' and fencing_number = $3 and holder is not null returning 1),
    deferred as (
      update unfinished_work set start_at = now() + make_interval(secs => $2) where workflow_id = $1 and exists (select from lease) returning 1)
    select exists (select from lease) as "isHeld", exists (select from deferred) as "isEnqueued"`,
};

const DEFER_RUNNING: PreparedQuery = {
  name: 'dispatcher-lease-defer-running',
  // What was signalled meanwhile keeps its own, earlier time.
  text: `
    update unfinished_work set start_at = now() + make_interval(secs => $2)
    where workflow_id = $1 and state is distinct from 'news' and exists (select from dispatcher_lease where name = 'work-items' and fencing_number = $3)`,
};

/**
 * Takes the lease if it is free, or its holder has not renewed it in time.
 * @param holder shown to operators
 * @param options.onlyAbandoned leaves a lease alone that was given back in order
 */
export async function takeLease(
  database: Queryable,
  holder: string,
  options: { onlyAbandoned: boolean },
): Promise<Lease | undefined> {
  const [row] = await database.run<{ fencing_number: string }>(TAKE, [holder, options.onlyAbandoned]);
  return row && { fencingNumber: row.fencing_number };
}

/** @throws LeaseLost when another process has it */
export async function renewLease(database: Queryable, { fencingNumber }: Lease): Promise<void> {
  const [row] = await database.run(RENEW, [fencingNumber]);
  if (row === undefined) throw new LeaseLost();
}

/** Gives the lease back; changes nothing if another process has it. @param isComplete whether the round came to its end */
export async function endLease(database: Queryable, { fencingNumber }: Lease, isComplete: boolean): Promise<void> {
  await database.run(END, [fencingNumber, isComplete]);
}

/**
 * Puts off the next look at a piece of work, and renews the lease with it.
 * @returns false when nobody owes the work any more
 * @throws LeaseLost when another process has the lease: it looks after the work now
 */
export async function deferWork(
  database: Queryable,
  { fencingNumber }: Lease,
  workflowId: string,
  seconds: number,
): Promise<boolean> {
  const [row] = await database.run<{ isHeld: boolean; isEnqueued: boolean }>(DEFER, [
    workflowId,
    seconds,
    fencingNumber,
  ]);
  if (!row?.isHeld) throw new LeaseLost();
  return row.isEnqueued;
}

/** Puts off the next look at a run that was found running; not if it was signalled meanwhile, nor if another process has the lease. */
export async function deferRunning(
  database: Queryable,
  { fencingNumber }: Lease,
  workflowId: string,
  seconds: number,
): Promise<void> {
  await database.run(DEFER_RUNNING, [workflowId, seconds, fencingNumber]);
}
