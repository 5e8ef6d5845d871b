/** Share of the set speed that is used: what is left keeps both windows although calls arrive up to 35 ms late (docs/decisions/0029). */
export const USED_SHARE = 0.965;

/** Points of a batch as large as they come, for an idea of a speed. */
const MANY_POINTS = 1_000_000;

/** An end that is further away is none that anybody plans with, nor one that a date can tell. */
const END_MAX_SECONDS = 100 * 366 * 86_400;

/** A speed as it is set. */
export interface Speed {
  requests_per_second: number;
  requests_per_hour: number;
}

/** What a speed means. An end is null where there is none: lookups are paused, or nearly so. */
export interface SpeedEffect extends Speed {
  used_per_second: number;
  million_ends_at: string | null;
  /** No sooner than that; null also where nothing is pending. */
  pending_ends_at: string | null;
}

/** The speed that lookups really run at, to three places. */
export function usedPerSecond({ requests_per_second: perSecond, requests_per_hour: perHour }: Speed): number {
  return Math.round(exactlyUsed(perSecond, perHour) * 1_000) / 1_000;
}

function exactlyUsed(perSecond: number, perHour: number): number {
  return USED_SHARE * Math.min(perSecond, perHour / 3_600);
}

/**
 * What a speed means for a million points and for what is pending.
 * @param fromMs when the network operator may be asked: now, or when it lets us ask again
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
