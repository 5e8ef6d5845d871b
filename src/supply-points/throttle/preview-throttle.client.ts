import type { Database } from '../../platform/database/database.ts';
import { compileOperatorBody } from '../../platform/validation/compile-operator-body.ts';
import type { Clock } from '../../platform/clock.ts';
import type { NetworkOperatorName } from '../../vocabulary/network-operators.ts';
import { isRefused, type Refused } from '../../vocabulary/refusals.ts';
import { effectOfSpeed, type SpeedEffect } from './throttle-effect.rules.ts';
import { speedSchema, type PutThrottle } from './throttle.schema.ts';
import { findPending, findThrottle } from './throttle.store.ts';

/** What the speed of a network operator means, as it is and as it would be. */
export interface ThrottlePreview {
  network_operator: string;
  /** Identifiers that batches wait for; one that several wait for counts for each. */
  pending: number;
  open_batches: number;
  /** The network operator itself asked us to wait until then. */
  blocked_until: string | null;
  now: SpeedEffect;
  /** With the speed that was asked about; a part that was left out stays as it is. */
  proposed: SpeedEffect;
}

const checkSpeed = compileOperatorBody<PutThrottle>(speedSchema);

/**
 * Tells what a speed would mean, and changes nothing.
 * @param query `requests_per_second` and `requests_per_hour`; one that is left out or empty stays as it is
 */
export async function previewThrottle(
  { database, clock }: { database: Database; clock: Clock },
  networkOperator: NetworkOperatorName,
  query: URLSearchParams,
): Promise<ThrottlePreview | Refused> {
  const sent = checkSpeed(speedIn(query));
  if (isRefused(sent)) return sent;
  const throttle = await findThrottle(database.em(), networkOperator);
  const { pending, batches } = await findPending(database, networkOperator);
  const blocked = throttle.blocked_until;
  const fromMs = Math.max(clock.now().getTime(), blocked === null ? 0 : Date.parse(blocked));
  const proposed = {
    requests_per_second: sent.requests_per_second ?? throttle.requests_per_second,
    requests_per_hour: sent.requests_per_hour ?? throttle.requests_per_hour,
  };
  return {
    network_operator: networkOperator,
    pending,
    open_batches: batches,
    blocked_until: blocked,
    now: effectOfSpeed(throttle, pending, fromMs),
    proposed: effectOfSpeed(proposed, pending, fromMs),
  };
}

/** Texts of a query or a form as the numbers that a body has; what is no number is left for the check to find fault with. */
export function speedIn(texts: URLSearchParams): Record<string, unknown> {
  const given = (['requests_per_second', 'requests_per_hour'] as const).flatMap((name) => {
    const text = texts.get(name)?.trim() ?? '';
    return text === '' ? [] : [[name, /^-?\d{1,12}(?:\.\d{1,6})?$/.test(text) ? Number(text) : text]];
  });
  return Object.fromEntries(given) as Record<string, unknown>;
}
