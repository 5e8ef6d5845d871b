import type { EntityManager } from '@mikro-orm/postgresql';
import { run, type PreparedQuery } from '../platform/database/prepared-query.ts';

/** Most verifications of one API key, over all processes; lines of import jobs are counted apart from single requests. */
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

/** Time until the oldest of as many as are allowed is out of its window; null where there are fewer. Looks at no more rows than are allowed. */
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
 * Counts the verifications of a key before one more is written down. Requests of one key wait here for each other, so that
 * many at once do not all find the last place free; the lock is the last of the transaction.
 * @returns seconds until there is room again; undefined when there is
 */
export async function waitForRoom(
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
