import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { kyselyOf, run, type PreparedQuery } from '../platform/database/prepared-query.ts';
import type { Settings } from '../platform/settings.ts';
import type { PaymentVerificationTable } from './payment-instruction.entity.ts';

/** Limits of verifications of one API key, over all processes. Lines of import jobs and single requests are counted separately. */
export interface VerificationLimits {
  perMinute: number;
  refusedPerHour: number;
  isOfJob: boolean;
}

/** The limits of single requests, or of the lines of import jobs. */
export function limitsOf(
  settings: Pick<
    Settings,
    'PAYMENT_VERIFICATIONS_PER_MINUTE' | 'PAYMENT_REFUSALS_PER_HOUR' | 'PAYMENT_JOB_REFUSALS_FACTOR'
  >,
  isOfJob: boolean,
): VerificationLimits {
  return {
    perMinute: settings.PAYMENT_VERIFICATIONS_PER_MINUTE,
    refusedPerHour: settings.PAYMENT_REFUSALS_PER_HOUR * (isOfJob ? settings.PAYMENT_JOB_REFUSALS_FACTOR : 1),
    isOfJob,
  };
}

/** Key of the advisory locks by API key. */
const LOCK_KEY = 4_716_204;

const ALLOWED: PreparedQuery = {
  name: 'payment-verifications-allowed',
  text: `
    select least(
      $3 - (select count(*) from (select from payment_verification where api_key_id = $1 and is_of_job = $2 and requested_at > clock_timestamp() - interval '1 minute' limit $3) r),
      $4 - (select count(*) from (select from payment_verification where api_key_id = $1 and is_of_job = $2 and outcome = 'rejected' and completed_at > clock_timestamp() - interval '1 hour' limit $4) r)
    )::integer as allowed`,
};

/**
 * Counts the verifications that may be stored now. An advisory lock serializes requests of one key, so that concurrent requests cannot exceed
 * the limits together. Must be the last lock of the transaction.
 */
export async function countAllowed(
  em: EntityManager,
  keyId: string,
  { perMinute, refusedPerHour, isOfJob }: VerificationLimits,
): Promise<number> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, ?))', [keyId, LOCK_KEY]);
  const [row] = await run<{ allowed: number }>(em, ALLOWED, [keyId, isOfJob, perMinute, refusedPerHour]);
  return Math.max(0, row!.allowed);
}

/** Returns the seconds until a key that has reached a limit may store the next verification. */
export async function secondsUntilAllowed(
  em: EntityManager,
  keyId: string,
  { perMinute, refusedPerHour, isOfJob }: VerificationLimits,
): Promise<number> {
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
  return Math.max(1, seconds ?? 1);
}
