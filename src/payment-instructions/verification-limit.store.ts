import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { kyselyOf } from '../platform/database/prepared-query.ts';
import type { PaymentVerificationTable } from './payment-instruction.entity.ts';

/** Limits of verifications of one API key, over all processes. Lines of import jobs and single requests are counted separately. */
export interface VerificationLimits {
  perMinute: number;
  refusedPerHour: number;
  isOfJob: boolean;
}

/** Key of the advisory locks by API key. */
const LOCK_KEY = 4_716_204;

/**
 * Checks the limits of a key before another verification is stored. An advisory lock serializes requests of one key, so that concurrent
 * requests cannot exceed the limits together. Must be the last lock of the transaction.
 * @returns seconds until the next verification is allowed; undefined if it is allowed now
 */
export async function secondsUntilAllowed(
  em: EntityManager,
  keyId: string,
  { perMinute, refusedPerHour, isOfJob }: VerificationLimits,
): Promise<number | undefined> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, ?))', [keyId, LOCK_KEY]);
  const kysely = kyselyOf<PaymentVerificationTable>(em);
  /** The oldest counted verification in a full window; at most `limit` rows are read. */
  const oldest = (time: 'requested_at' | 'completed_at', window: string, limit: number) =>
    kysely
      .selectFrom('payment_verification')
      .select(sql`${sql.ref(time)} + ${sql.lit(window)}::interval`.as('leaves_at'))
      .where('api_key_id', '=', keyId)
      .where('is_of_job', '=', isOfJob)
      .where(time, '>', sql<Date>`clock_timestamp() - ${sql.lit(window)}::interval`)
      .orderBy(time, 'desc')
      .offset(limit - 1)
      .limit(1);
  const requested = oldest('requested_at', '1 minute', perMinute);
  const refused = oldest('completed_at', '1 hour', refusedPerHour).where('outcome', '=', sql.lit('rejected'));
  const { seconds } = await kysely
    .selectNoFrom(
      sql<number | null>`ceil(extract(epoch from greatest(${requested}, ${refused}) - clock_timestamp()))::integer`.as(
        'seconds',
      ),
    )
    .executeTakeFirstOrThrow();
  return seconds === null ? undefined : Math.max(1, seconds);
}
