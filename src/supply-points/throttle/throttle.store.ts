import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type Queryable, type PreparedQuery } from '../../platform/database/prepared-query.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { USED_SHARE, usedPerSecond, type Speed } from './throttle-effect.rules.ts';
import type { PutThrottle, ThrottleView } from './throttle.schema.ts';

/** The throttle of a network operator as it stands. */
export async function findThrottle(em: EntityManager, networkOperator: NetworkOperatorName): Promise<ThrottleView> {
  const [row] = await em.execute<ThrottleRow[]>(
    `select requests_per_second::float8 as per_second, requests_per_hour::float8 as per_hour, reason, updated_at,
      case when blocked_until > now() then blocked_until end as blocked_until
    from throttle where network_operator = ?`,
    [networkOperator],
  );
  return viewOf(networkOperator, row as ThrottleRow);
}

/**
 * Changes the given parts of a throttle; calls keep to it from one second later at the latest, over all workers.
 * @param seen where another speed is set than this, nothing is changed
 */
export async function changeThrottle(
  em: EntityManager,
  networkOperator: NetworkOperatorName,
  change: PutThrottle,
  seen?: Speed,
): Promise<{ before: object; after: object } | undefined> {
  await em.execute('select 1 from throttle where network_operator = ? for no key update', [networkOperator]);
  const before = settingsOf(await findThrottle(em, networkOperator));
  if (seen !== undefined && !isSpeed(before, seen)) return undefined;
  const after = {
    requests_per_second: change.requests_per_second ?? before.requests_per_second,
    requests_per_hour: change.requests_per_hour ?? before.requests_per_hour,
    reason: change.reason === undefined ? before.reason : change.reason || null,
  };
  await em.execute(
    'update throttle set requests_per_second = ?, requests_per_hour = ?, reason = ?, updated_at = now() where network_operator = ?',
    [after.requests_per_second, after.requests_per_hour, after.reason, networkOperator],
  );
  return { before, after };
}

function isSpeed(one: Speed, other: Speed): boolean {
  return one.requests_per_second === other.requests_per_second && one.requests_per_hour === other.requests_per_hour;
}

interface ThrottleRow {
  per_second: number;
  per_hour: number;
  reason: string | null;
  updated_at: Date;
  blocked_until: Date | null;
}

function settingsOf({ requests_per_second, requests_per_hour, reason }: ThrottleView) {
  return { requests_per_second, requests_per_hour, reason };
}

function viewOf(networkOperator: NetworkOperatorName, row: ThrottleRow): ThrottleView {
  return {
    network_operator: networkOperator,
    requests_per_second: row.per_second,
    requests_per_hour: row.per_hour,
    used_per_second: usedPerSecond({ requests_per_second: row.per_second, requests_per_hour: row.per_hour }),
    blocked_until: row.blocked_until?.toISOString() ?? null,
    reason: row.reason,
    updated_at: row.updated_at.toISOString(),
  };
}

const TAKE_SLOTS: PreparedQuery = {
  name: 'throttle-take-slots',
  text: 'select * from take_call_slots($1, $2, $3, $4, $5, $6)',
};

/** What a worker needs. */
export interface WantedSlots {
  wanted: number;
  /** The first slot is needed no sooner than so long from now: the answer may take that long. */
  leadMs: number;
  /** How far the worker may be wrong about the database's clock. */
  doubtMs: number;
}

/** Moments are those of the database's clock. Slots for calls, evenly spaced; or when to ask again, null while paused. */
export type TakenSlots = { momentMs: number } & (
  | { count: number; firstMs: number; everyMs: number }
  | { againMs: number | null }
);

/**
 * Takes slots of a network operator; exact over all workers, because the database's clock alone counts.
 * @param taker names the worker: slots of two whose clocks are in doubt are kept further apart
 */
export async function takeSlots(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  taker: string,
  { wanted, leadMs, doubtMs }: WantedSlots,
): Promise<TakenSlots> {
  const [row] = await run<{
    granted: number;
    first_ms: number;
    every_ms: number;
    again_ms: number | null;
    moment_ms: number;
  }>(database, TAKE_SLOTS, [networkOperator, wanted, USED_SHARE, taker, leadMs, doubtMs]);
  const {
    granted = 0,
    first_ms: firstMs = 0,
    every_ms: everyMs = 0,
    again_ms: againMs = null,
    moment_ms: momentMs = 0,
  } = row ?? {};
  return granted > 0 ? { momentMs, count: granted, firstMs, everyMs } : { momentMs, againMs };
}

const BLOCK: PreparedQuery = {
  name: 'throttle-block',
  text: 'update throttle set blocked_until = greatest(blocked_until, clock_timestamp() + make_interval(secs => $2)) where network_operator = $1',
};

/** Nobody calls the network operator for as long as it asked for. */
export async function blockFor(
  database: Queryable,
  networkOperator: NetworkOperatorName,
  seconds: number,
): Promise<void> {
  await run(database, BLOCK, [networkOperator, seconds]);
}

const ANSWERED: PreparedQuery = {
  name: 'throttle-answered',
  text: "update throttle set answered_at = now() where network_operator = $1 and answered_at < now() - interval '5 seconds'",
};
const ANSWERS: PreparedQuery = {
  name: 'throttle-answers',
  text: `select answered_at > now() - interval '60 seconds' as answers from throttle where network_operator = $1`,
};

/** Notes that the network operator answers. */
export async function noteAnswered(database: Queryable, networkOperator: NetworkOperatorName): Promise<void> {
  await run(database, ANSWERED, [networkOperator]);
}

/** Tells whether the network operator has answered anybody in the last minute. */
export async function hasAnsweredLately(database: Queryable, networkOperator: NetworkOperatorName): Promise<boolean> {
  const [row] = await run<{ answers: boolean }>(database, ANSWERS, [networkOperator]);
  return row?.answers ?? false;
}

const PENDING: PreparedQuery = {
  name: 'throttle-pending',
  text: 'select coalesce(sum(accepted - imported - errored), 0)::float8 as pending, count(*)::integer as batches from population_operator_progress where network_operator = $1 and imported + errored < accepted',
};

/** How many identifiers are pending at a network operator, and in how many batches; one that several batches wait for counts for each. */
export async function findPending(
  database: Queryable,
  networkOperator: NetworkOperatorName,
): Promise<{ pending: number; batches: number }> {
  const [row] = await run<{ pending: number; batches: number }>(database, PENDING, [networkOperator]);
  return row ?? { pending: 0, batches: 0 };
}

const OPEN_LOOKUPS: PreparedQuery = {
  name: 'throttle-open-lookups',
  text: 'select 1 from population_operator_progress where network_operator = $1 and imported + errored < accepted limit 1',
};

/** Whether a batch still waits for this network operator. */
export async function hasOpenLookups(database: Queryable, networkOperator: NetworkOperatorName): Promise<boolean> {
  return (await run(database, OPEN_LOOKUPS, [networkOperator])).length > 0;
}
