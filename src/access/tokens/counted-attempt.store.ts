import { hash } from 'node:crypto';
import { sql } from 'kysely';
import { kyselyOf, type Queryable } from '../../platform/database/prepared-query.ts';
import type { ApiKeyTable } from '../keys/api-key.entity.ts';
import type { CountedAttemptTable } from './counted-attempt.entity.ts';

/** Number of attempts in the current minute, including this one, and the seconds until it ends. */
export interface AttemptCount {
  count: number;
  secondsLeft: number;
}

function bucketOf(name: string): Buffer {
  return hash('sha256', name, 'buffer');
}

/**
 * Counts one attempt under each name in the database, for all processes. One statement for all names, in one order, so that processes do
 * not deadlock. Also deletes expired rows.
 * @returns the counts in the order of the names
 */
export async function countAttempt(on: Queryable, names: readonly string[]): Promise<AttemptCount[]> {
  const buckets = names.map(bucketOf);
  const rows = await kyselyOf<CountedAttemptTable>(on)
    .with('swept', (of) =>
      of.deleteFrom('counted_attempt').where('bucket', 'in', (expired) =>
        expired
          .selectFrom('counted_attempt')
          .select('bucket')
          .where('ends_at', '<', sql<Date>`now()`)
          .where('bucket', 'not in', buckets)
          .orderBy('bucket')
          .limit(100)
          .forUpdate()
          .skipLocked(),
      ),
    )
    .insertInto('counted_attempt')
    .values(
      buckets
        .toSorted(Buffer.compare)
        .map((bucket) => ({ bucket, count: 1, ends_at: sql<Date>`now() + interval '1 minute'` })),
    )
    .onConflict((conflict) =>
      conflict
        .column('bucket')
        .doUpdateSet({
          count: sql`case when counted_attempt.ends_at <= now() then 1 else counted_attempt.count + 1 end`,
          ends_at: sql`case when counted_attempt.ends_at <= now() then excluded.ends_at else counted_attempt.ends_at end`,
        }),
    )
    .returning(['bucket', 'count', sql<number>`ceil(extract(epoch from ends_at - now()))::integer`.as('secondsLeft')])
    .execute();
  return buckets.map((bucket) => {
    const { count, secondsLeft } = rows.find((row) => row.bucket.equals(bucket))!;
    return { count, secondsLeft: Math.max(1, secondsLeft) };
  });
}

/** Reverts an attempt that was counted in advance and succeeded. */
export async function revertAttempts(database: Queryable, names: readonly string[]): Promise<void> {
  await kyselyOf<CountedAttemptTable>(database)
    .with('held', (of) =>
      of
        .selectFrom('counted_attempt')
        .select('bucket')
        .where('bucket', 'in', names.map(bucketOf))
        .orderBy('bucket')
        .forUpdate(),
    )
    .updateTable('counted_attempt as c')
    .from('held')
    .set({ count: sql<number>`greatest(c.count - 1, 0)` })
    .whereRef('c.bucket', '=', 'held.bucket')
    .execute();
}

/** Returns the first characters of all valid keys, which distinguish attempts with an issued key from guesses. */
export async function findKeyStarts(database: Queryable): Promise<Set<string>> {
  const keys = kyselyOf<ApiKeyTable>(database).selectFrom('api_key').select('secret_start');
  return new Set((await keys.where('revoked_at', 'is', null).execute()).map((key) => key.secret_start));
}
