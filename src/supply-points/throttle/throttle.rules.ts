import { networkOperators } from '../../vocabulary/network-operators.ts';
import { refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { SpeedEffect } from './throttle.openapi.ts';

/** The response for an unknown network operator. */
export function unknownNetworkOperator(): Refused {
  return refuse('not_found', { detail: `The network operators are ${networkOperators.join(' and ')}.` });
}

/** Share of the set speed that is used. The rest keeps both limits although calls arrive up to 35 ms late (docs/decisions/0029). */
export const USED_SHARE = 0.965;

/** The number of points of the example in a preview. */
const MANY_POINTS = 1_000_000;

/** Ends further away than this are reported as null. */
const END_MAX_SECONDS = 100 * 366 * 86_400;

/** The speed that an operator sets. */
export interface Speed {
  requests_per_second: number;
  requests_per_hour: number;
}

/** The actual speed of lookups, rounded to three decimals. */
export function usedPerSecond({ requests_per_second: perSecond, requests_per_hour: perHour }: Speed): number {
  return Math.round(exactlyUsed(perSecond, perHour) * 1_000) / 1_000;
}

function exactlyUsed(perSecond: number, perHour: number): number {
  return USED_SHARE * Math.min(perSecond, perHour / 3_600);
}

/**
 * Calculates when lookups of a million points, and of the pending points, would end at a speed.
 * @param fromMs when lookups can start
 */
export function effectOfSpeed(speed: Speed, pending: number, fromMs: number): SpeedEffect {
  const used = exactlyUsed(speed.requests_per_second, speed.requests_per_hour);
  const endOf = (points: number): string | null => {
    const seconds = points / used;
    return seconds <= END_MAX_SECONDS ? new Date(fromMs + seconds * 1_000).toISOString() : null;
  };
  return {
    requests_per_second: speed.requests_per_second,
    requests_per_hour: speed.requests_per_hour,
    used_per_second: usedPerSecond(speed),
    million_ends_at: endOf(MANY_POINTS),
    pending_ends_at: pending > 0 ? endOf(pending) : null,
  };
}
