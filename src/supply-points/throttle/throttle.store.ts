import { type EntityManager, raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { emOf, kyselyOf, run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { type LookupTables, Throttle } from '../supply-point.entity.ts';
import { USED_SHARE, usedPerSecond, type Speed } from './throttle.rules.ts';
import type { PutThrottle, ThrottleView } from './throttle.openapi.ts';

/** Reads the throttle of a network operator. */
export async function findThrottle(on: Queryable, networkOperator: NetworkOperatorName): Promise<ThrottleView> {
  const {
    updated_at: updatedAt,
    blocked_until: blockedUntil,
    ...throttle
  } = await kyselyOf<LookupTables>(on)
    .selectFrom('throttle')
    .select([
      sql<number>`requests_per_second::float8`.as('requests_per_second'),
      sql<number>`requests_per_hour::float8`.as('requests_per_hour'),
      'reason',
      'updated_at',
      sql<Date | null>`case when blocked_until > now() then blocked_until end`.as('blocked_until'),
    ])
    .where('network_operator', '=', networkOperator)
    .executeTakeFirstOrThrow();
  return {
    network_operator: networkOperator,
    ...throttle,
    used_per_second: usedPerSecond(throttle),
    blocked_until: blockedUntil?.toISOString() ?? null,
    updated_at: updatedAt.toISOString(),
  };
}

/**
 * Changes the given parts of a throttle. All workers apply the change within one second.
 * @param seen the speed that the caller last saw
 * @returns undefined, and changes nothing, when the stored speed differs from `seen`
 */
export async function changeThrottle(
  em: EntityManager,
  networkOperator: NetworkOperatorName,
  change: PutThrottle,
  seen?: Speed,
): Promise<{ before: object; after: object } | undefined> {
  await kyselyOf<LookupTables>(em)
    .selectFrom('throttle')
    .select('network_operator')
    .where('network_operator', '=', networkOperator)
    .forNoKeyUpdate()
    .execute();
  const { requests_per_second, requests_per_hour, reason } = await findThrottle(em, networkOperator);
  const before = { requests_per_second, requests_per_hour, reason };
  if (seen !== undefined && !isSpeed(before, seen)) return undefined;
  const after = {
    requests_per_second: change.requests_per_second ?? before.requests_per_second,
    requests_per_hour: change.requests_per_hour ?? before.requests_per_hour,
    reason: change.reason === undefined ? before.reason : change.reason || null,
  };
  await em.nativeUpdate(
    Throttle,
    { networkOperator },
    {
      requestsPerSecond: String(after.requests_per_second),
      requestsPerHour: String(after.requests_per_hour),
      reason: after.reason,
      updatedAt: raw('now()'),
    },
  );
  return { before, after };
}

function isSpeed(one: Speed, other: Speed): boolean {
  return one.requests_per_second === other.requests_per_second && one.requests_per_hour === other.requests_per_hour;
}

const RESERVE_SLOTS: PreparedQuery = {
  name: 'throttle-take-slots',
  text: `
    select granted as count, first_ms as "firstMs", every_ms as "everyMs", again_ms as "nextRequestMs", moment_ms as "databaseMs"
    from take_call_slots($1, $2, $3, $4, $5, $6)`,
};

/** A worker's request for slots. */
export interface WantedSlots {
  wanted: number;
  /** The first slot must begin at least this long from now, because the response takes that long. */
  leadMs: number;
  /** Largest error of the worker's estimate of the database's clock. */
  clockErrorMs: number;
}

/** Evenly spaced slots, or the time of the next request (null while paused). Times are milliseconds of the database's clock. */
export type ReservedSlots = { databaseMs: number } & (
  | { count: number; firstMs: number; everyMs: number }
  | { nextRequestMs: number | null }
);

/**
 * Takes slots of a network operator. The limit holds across all workers, because only the database's clock counts.
 * @param workerId identifies the worker; slots of workers whose clock estimates are inexact are kept further apart
 */
export async function reserveSlots(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  workerId: string,
  { wanted, leadMs, clockErrorMs }: WantedSlots,
): Promise<ReservedSlots> {
  const values = [networkOperator, wanted, USED_SHARE, workerId, leadMs, clockErrorMs];
  const [row] = await run<{
    count: number;
    firstMs: number;
    everyMs: number;
    nextRequestMs: number | null;
    databaseMs: number;
  }>(database, RESERVE_SLOTS, values);
  const { count, firstMs, everyMs, nextRequestMs, databaseMs } = row!;
  return count > 0 ? { databaseMs, count, firstMs, everyMs } : { databaseMs, nextRequestMs };
}

/** Stops all calls to a network operator for the time that it requested. */
export async function blockFor(on: Queryable, networkOperator: NetworkOperatorName, seconds: number): Promise<void> {
  const blockedUntil = raw<Date>('greatest(blocked_until, clock_timestamp() + make_interval(secs => ?))', [seconds]);
  await emOf(on).nativeUpdate(Throttle, { networkOperator }, { blockedUntil });
}

/** Records that the network operator responds, at most once in 5 seconds. */
export async function recordAnswered(on: Queryable, networkOperator: NetworkOperatorName): Promise<void> {
  const isOld = { networkOperator, answeredAt: { $lt: raw<Date>(`now() - interval '5 seconds'`) } };
  await emOf(on).nativeUpdate(Throttle, isOld, { answeredAt: raw('now()') });
}

/** Returns whether the network operator has responded to any worker in the last minute. */
export async function hasAnsweredRecently(on: Queryable, networkOperator: NetworkOperatorName): Promise<boolean> {
  const isRecent = { networkOperator, answeredAt: { $gt: raw<Date>(`now() - interval '60 seconds'`) } };
  return (await emOf(on).count(Throttle, isRecent)) > 0;
}

const openProgress = (on: Queryable, networkOperator: NetworkOperatorName) =>
  kyselyOf<LookupTables>(on)
    .selectFrom('population_operator_progress')
    .where('network_operator', '=', networkOperator)
    .where(sql<boolean>`imported + errored < accepted`);

/** Counts the pending identifiers and their batches at a network operator; an identifier of two batches counts twice. */
export async function findPending(
  on: Queryable,
  networkOperator: NetworkOperatorName,
): Promise<{ pending: number; batches: number }> {
  return openProgress(on, networkOperator)
    .select([
      sql<number>`coalesce(sum(accepted - imported - errored), 0)::float8`.as('pending'),
      sql<number>`count(*)::integer`.as('batches'),
    ])
    .executeTakeFirstOrThrow();
}

/** Returns whether an identifier is pending at this network operator. */
export async function hasOpenLookups(on: Queryable, networkOperator: NetworkOperatorName): Promise<boolean> {
  return (await openProgress(on, networkOperator).select('batch_id').limit(1).executeTakeFirst()) !== undefined;
}
