import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';

/** Limits of verifications of one API key, over all processes. Lines of import jobs and single requests are counted separately. */
export interface VerificationLimits {
  perMinute: number;
  refusedPerHour: number;
  isOfJob: boolean;
}

/** Key of the advisory locks by API key. */
const LOCK_KEY = 4_716_204;
const LOCK: PreparedQuery = {
  name: 'payment-verification-lock-key',
  text: `select pg_advisory_xact_lock(hashtextextended($1, ${LOCK_KEY}))`,
};

/** Time until the oldest counted verification leaves its window; null below the limits. Reads at most as many rows as the limits. */
const WAIT: PreparedQuery = {
  name: 'payment-verification-wait',
  text: `
    select greatest(
      (select requested_at + interval '1 minute' from payment_verification
        where api_key_id = $1 and is_of_job = $4 and requested_at > clock_timestamp() - interval '1 minute' order by requested_at desc offset $2::integer - 1 limit 1),
      (select completed_at + interval '1 hour' from payment_verification
        where api_key_id = $1 and is_of_job = $4 and outcome = 'rejected' and completed_at > clock_timestamp() - interval '1 hour' order by completed_at desc offset $3::integer - 1 limit 1)
    ) - clock_timestamp() as wait`,
};
const SECONDS: PreparedQuery = {
  name: 'payment-verification-wait-seconds',
  text: `select ceil(extract(epoch from w.wait))::integer as seconds from (${WAIT.text}) w`,
};

/**
 * Checks the limits of a key before another verification is stored. An advisory lock serializes requests of one key, so that concurrent
 * requests cannot exceed the limits together. Must be the last lock of the transaction.
 * @returns seconds until the next verification is allowed; undefined if it is allowed now
 */
export async function secondsUntilAllowed(
  em: EntityManager,
  keyId: string,
  limits: VerificationLimits,
): Promise<number | undefined> {
  await run(em, LOCK, [keyId]);
  const [row] = await run<{ seconds: number | null }>(em, SECONDS, [
    keyId,
    limits.perMinute,
    limits.refusedPerHour,
    limits.isOfJob,
  ]);
  return row?.seconds === null || row?.seconds === undefined ? undefined : Math.max(1, row.seconds);
}
