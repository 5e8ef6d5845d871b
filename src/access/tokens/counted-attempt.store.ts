import { hash } from 'node:crypto';
import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type Autocommit, type PreparedQuery } from '../../platform/database/prepared-query.ts';

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
    select bucket, 1, now() + interval '1 minute' from unnest($1::bytea[]) as wanted (bucket) order by bucket
    on conflict (bucket) do update set
      count = case when c.ends_at <= now() then 1 else c.count + 1 end,
      ends_at = case when c.ends_at <= now() then excluded.ends_at else c.ends_at end
    returning bucket, count, ceil(extract(epoch from ends_at - now()))::integer as "secondsLeft"`,
};

const REVERT: PreparedQuery = {
  name: 'counted_attempt_take_back',
  text: `with held as (select bucket from counted_attempt where bucket = any($1::bytea[]) order by bucket for update)
    update counted_attempt c set count = greatest(c.count - 1, 0) from held where c.bucket = held.bucket`,
};

const KEY_STARTS: PreparedQuery = {
  name: 'api_key_starts',
  text: 'select secret_start as "secretStart" from api_key where revoked_at is null',
};

function bucketOf(name: string): Buffer {
  return hash('sha256', name, 'buffer');
}

/** Counts one attempt under each name in the database, for all processes. @returns the counts in the order of the names */
export async function countAttempt(on: Autocommit | EntityManager, names: readonly string[]): Promise<AttemptCount[]> {
  const buckets = names.map(bucketOf);
  const rows = await run<AttemptCount & { bucket: Buffer }>(on, COUNT, [buckets]);
  return buckets.map((bucket) => {
    const row = rows.find((one) => one.bucket.equals(bucket))!;
    return { count: row.count, secondsLeft: Math.max(1, row.secondsLeft) };
  });
}

/** Reverts an attempt that was counted in advance and succeeded. */
export async function revertAttempts(database: Autocommit, names: readonly string[]): Promise<void> {
  await run(database, REVERT, [names.map(bucketOf)]);
}

/** Returns the first characters of all valid keys, which distinguish attempts with an issued key from guesses. */
export async function findKeyStarts(database: Autocommit): Promise<Set<string>> {
  return new Set((await run<{ secretStart: string }>(database, KEY_STARTS, [])).map(({ secretStart }) => secretStart));
}
