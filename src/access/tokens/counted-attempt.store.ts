import { hash } from 'node:crypto';
import { kyselyOf, run, type PreparedQuery, type Queryable } from '../../platform/database/prepared-query.ts';
import type { ApiKeyTable } from '../keys/api-key.entity.ts';

/** Number of attempts in the current minute, including this one, and the seconds until it ends. */
export interface AttemptCount {
  count: number;
  secondsLeft: number;
}

// One statement for all names, in one order, so that processes do not deadlock. Also deletes expired rows.
const COUNT: PreparedQuery = {
  name: 'counted_attempt_add',
  text: `with swept as (
      delete from counted_attempt where bucket in (
        select bucket from counted_attempt where ends_at < now() and not bucket = any($1::bytea[]) order by bucket limit 100 for update skip locked))
    insert into counted_attempt as c (bucket, count, ends_at)
    select bucket, amount, now() + interval '1 minute' from unnest($1::bytea[], $2::integer[]) as wanted (bucket, amount) order by bucket
    on conflict (bucket) do update set
      count = case when c.ends_at <= now() then excluded.count else c.count + excluded.count end,
      ends_at = case when c.ends_at <= now() then excluded.ends_at else c.ends_at end
    returning bucket, count, ceil(extract(epoch from ends_at - now()))::integer as "secondsLeft"`,
};

const REVERT: PreparedQuery = {
  name: 'counted_attempt_revert',
  text: `with held as (select bucket from counted_attempt where bucket = any($1::bytea[]) order by bucket for update)
    update counted_attempt c set count = greatest(c.count - 1, 0) from held where c.bucket = held.bucket`,
};

function bucketOf(name: string): Buffer {
  return hash('sha256', name, 'buffer');
}

/**
 * Counts attempts under each name in the database, for all processes.
 * @param amounts attempts of each name; one by default
 * @returns the counts in the order of the names
 */
export async function countAttempt(
  on: Queryable,
  names: readonly string[],
  amounts: readonly number[] = names.map(() => 1),
): Promise<AttemptCount[]> {
  const buckets = names.map(bucketOf);
  const rows = await run<AttemptCount & { bucket: Buffer }>(on, COUNT, [buckets, amounts]);
  return buckets.map((bucket) => {
    const row = rows.find((one) => one.bucket.equals(bucket))!;
    return { count: row.count, secondsLeft: Math.max(1, row.secondsLeft) };
  });
}

/** Reverts an attempt that was counted in advance and succeeded. */
export async function revertAttempts(database: Queryable, names: readonly string[]): Promise<void> {
  await run(database, REVERT, [names.map(bucketOf)]);
}

/** Returns the first characters of all valid keys, which distinguish attempts with an issued key from guesses. */
export async function findKeyStarts(database: Queryable): Promise<Set<string>> {
  const keys = kyselyOf<ApiKeyTable>(database).selectFrom('api_key').select('secret_start');
  return new Set((await keys.where('revoked_at', 'is', null).execute()).map((key) => key.secret_start));
}
