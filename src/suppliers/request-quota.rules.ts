import { refuse, type Refused } from '../vocabulary/refusals.ts';
import type { KnownSupplier } from './supplier-directory.store.ts';

const WINDOW_MS = 1_000;

/** What a request learns of the quota: headers for its answer, and the refusal when the quota is used up. */
export interface TakenQuota {
  headers: Readonly<Record<string, string>>;
  refused?: Refused;
}

interface Bucket {
  quota: number;
  /** When the bucket will be full again; it gains one request in each interval. */
  fullAt: number;
}

/**
 * Counts requests by import supplier, for those whose option `requests_per_second` is set: as many at once as a second
 * allows, then one in each part of it. In this process alone, so that it costs no question to anybody.
 * @returns takes one request from the quota of every given supplier; undefined where none has one
 */
export function createRequestQuotas(
  now: () => number = () => performance.now(),
): (suppliers: readonly KnownSupplier[]) => TakenQuota | undefined {
  const fullAt = new Map<string, number>();
  return (suppliers) => {
    // As nearly always; every request comes by here.
    if (suppliers.every(({ options }) => quotaIn(options) === undefined)) return undefined;
    const time = now();
    const buckets = suppliers.flatMap(({ code, options }) => {
      const quota = quotaIn(options);
      return quota === undefined
        ? []
        : [{ code, quota, interval: WINDOW_MS / quota, before: Math.max(fullAt.get(code) ?? 0, time) }];
    });
    // A little slack: sums of thirds do not come out even.
    const isUsedUp = buckets.some(({ before, interval }) => before - time > WINDOW_MS - interval + 1e-6);
    let scarcest: (Bucket & { left: number }) | undefined;
    for (const { code, quota, interval, before } of buckets) {
      // Decided first: a request that one quota refuses takes nothing from the others.
      const bucket = { quota, fullAt: isUsedUp ? before : before + interval };
      fullAt.set(code, bucket.fullAt);
      const left = Math.max(0, Math.floor((WINDOW_MS - (bucket.fullAt - time)) / interval + 1e-6));
      if (scarcest === undefined || left < scarcest.left) scarcest = { ...bucket, left };
    }
    return scarcest === undefined ? undefined : taken(scarcest, time, isUsedUp);
  };
}

function taken({ quota, fullAt, left }: Bucket & { left: number }, time: number, isUsedUp: boolean): TakenQuota {
  const seconds = Math.max(1, Math.ceil((fullAt - time) / 1_000));
  const headers = { 'ratelimit-policy': `"requests";q=${quota};w=1`, ratelimit: `"requests";r=${left};t=${seconds}` };
  if (!isUsedUp) return { headers };
  return {
    headers,
    refused: refuse('throttled', {
      detail: `This import supplier may send ${quota} requests a second; send the same request again after the time in Retry-After.`,
      retryAfterSeconds: seconds,
    }),
  };
}

function quotaIn(options: KnownSupplier['options']): number | undefined {
  const quota = options['requests_per_second'];
  return typeof quota === 'number' ? quota : undefined;
}
