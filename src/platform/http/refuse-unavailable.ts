import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import { isAnswerLost } from '../database/lost-answer.ts';

/** How long a client waits before it sends again. */
const RETRY_AFTER_SECONDS = 5;
const OUTCOME_UNKNOWN =
  'A part of the service did not answer in time, so it is not known whether the request was done. Send the same request again after the time in Retry-After: what was done is found by its own numbers, ' +
  'but transactions with check_previously_added=false and batches of supply points only by an Idempotency-Key.';

/**
 * Refuses a request whose part of the service is away; with `outcome` where it may have been done all the same.
 * @param method of the request: one that only reads has nothing that could be done
 */
export function refuseUnavailable(error: unknown, method: string): Refused {
  const retryAfterSeconds = RETRY_AFTER_SECONDS;
  return method !== 'GET' && method !== 'HEAD' && isAnswerLost(error)
    ? refuse('service_unavailable', { retryAfterSeconds, detail: OUTCOME_UNKNOWN, extras: { outcome: 'unknown' } })
    : refuse('service_unavailable', { retryAfterSeconds });
}
