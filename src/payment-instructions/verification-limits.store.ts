import type { EntityManager } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { kyselyOf } from '../platform/database/prepared-query.ts';
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

/** Verifications of a key that count towards a limit, by the time of their request or of their rejection. */
function countedBy(
  time: 'requested_at' | 'completed_at',
  em: EntityManager,
  keyId: string,
  { isOfJob }: VerificationLimits,
) {
  const window = sql.lit(time === 'requested_at' ? '1 minute' : '1 hour');
  return kyselyOf<PaymentVerificationTable>(em)
    .selectFrom('payment_verification')
    .select(sql<Date>`${sql.ref(time)} + ${window}::interval`.as('leaves_at'))
    .where('api_key_id', '=', keyId)
    .where('is_of_job', '=', isOfJob)
    .where(time, '>', sql<Date>`clock_timestamp() - ${window}::interval`)
    .$if(time === 'completed_at', (query) => query.where('outcome', '=', sql.lit('rejected')))
    .orderBy(time, 'desc');
}

/**
 * Counts the verifications that may be stored now. An advisory lock serializes requests of one key, so that concurrent requests cannot exceed
 * the limits together. Must be the last lock of the transaction.
 */
export async function countAllowed(em: EntityManager, keyId: string, limits: VerificationLimits): Promise<number> {
  await em.execute('select pg_advisory_xact_lock(hashtextextended(?, ?))', [keyId, LOCK_KEY]);
  const { perMinute, refusedPerHour } = limits;
  const requested = countedBy('requested_at', em, keyId, limits).limit(perMinute).as('r');
  const refused = countedBy('completed_at', em, keyId, limits).limit(refusedPerHour).as('r');
  const { allowed } = await kyselyOf(em)
    .selectNoFrom(
      sql<number>`least(${perMinute} - (select count(*) from ${requested}), ${refusedPerHour} - (select count(*) from ${refused}))::integer`.as(
        'allowed',
      ),
    )
    .executeTakeFirstOrThrow();
  return Math.max(0, allowed);
}

/** Returns the seconds until a key that has reached a limit may store the next verification: until the oldest counted one leaves a full window. */
export async function secondsUntilAllowed(
  em: EntityManager,
  keyId: string,
  limits: VerificationLimits,
): Promise<number> {
  const { perMinute, refusedPerHour } = limits;
  const requested = countedBy('requested_at', em, keyId, limits)
    .offset(perMinute - 1)
    .limit(1);
  const refused = countedBy('completed_at', em, keyId, limits)
    .offset(refusedPerHour - 1)
    .limit(1);
  const { seconds } = await kyselyOf(em)
    .selectNoFrom(
      sql<number | null>`ceil(extract(epoch from greatest(${requested}, ${refused}) - clock_timestamp()))::integer`.as(
        'seconds',
      ),
    )
    .executeTakeFirstOrThrow();
  return Math.max(1, seconds ?? 1);
}
