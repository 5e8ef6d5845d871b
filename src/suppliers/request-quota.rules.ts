import { refuse, type Refused } from '../vocabulary/refusals.ts';
import type { KnownSupplier } from './supplier-directory.store.ts';

const WINDOW_MS = 1_000;

/** Effect of the quota on a request: response headers, and a refusal if the quota is used up. */
export interface QuotaUse {
  headers: Readonly<Record<string, string>>;
  refused?: Refused;
}

/** The quotas of a process. */
export interface RequestQuotas {
  /** Charges one request to each of the suppliers; undefined if none has a quota. */
  use(suppliers: readonly KnownSupplier[]): QuotaUse | undefined;
  /** Returns the requests charged by `use` since the last call, by import supplier. */
  takeUses(): Map<string, number>;
  /** Charges requests that other processes accepted. A supplier that exceeded its quota through several processes waits longer. */
  chargeOthers(code: string, requests: number): void;
}

interface Bucket {
  quota: number;
  /** Time at which the bucket is full again; it gains one request per interval. */
  fullAt: number;
}

/**
 * Token bucket per import supplier with the option `requests_per_second`: a burst of one second's requests, then one per interval. Decides
 * without a query; `shareRequestQuotas` adds what other processes accept.
 */
export function createRequestQuotas(now: () => number = () => performance.now()): RequestQuotas {
  const fullAt = new Map<string, number>();
  const intervals = new Map<string, number>();
  let uses = new Map<string, number>();
  const use: RequestQuotas['use'] = (suppliers) => {
    // The usual case, checked for every request.
    if (suppliers.every(({ options }) => quotaIn(options) === undefined)) return undefined;
    const time = now();
    const buckets = suppliers.flatMap(({ code, options }) => {
      const quota = quotaIn(options);
      return quota === undefined
        ? []
        : [{ code, quota, interval: WINDOW_MS / quota, before: Math.max(fullAt.get(code) ?? 0, time) }];
    });
    // Tolerance for rounding errors.
    const isUsedUp = buckets.some(({ before, interval }) => before - time > WINDOW_MS - interval + 1e-6);
    let scarcest: (Bucket & { left: number }) | undefined;
    for (const { code, quota, interval, before } of buckets) {
      // Decided first, so that a request refused by one quota is not charged to the others.
      const bucket = { quota, fullAt: isUsedUp ? before : before + interval };
      fullAt.set(code, bucket.fullAt);
      intervals.set(code, interval);
      if (!isUsedUp) uses.set(code, (uses.get(code) ?? 0) + 1);
      const left = Math.max(0, Math.floor((WINDOW_MS - (bucket.fullAt - time)) / interval + 1e-6));
      if (scarcest === undefined || left < scarcest.left) scarcest = { ...bucket, left };
    }
    return scarcest === undefined ? undefined : quotaUse(scarcest, time, isUsedUp);
  };
  return {
    use,
    takeUses: () => {
      const taken = uses;
      uses = new Map();
      return taken;
    },
    chargeOthers: (code, requests) => {
      if (requests > 0) fullAt.set(code, (fullAt.get(code) ?? now()) + requests * (intervals.get(code) ?? 0));
    },
  };
}

function quotaUse({ quota, fullAt, left }: Bucket & { left: number }, time: number, isUsedUp: boolean): QuotaUse {
  const seconds = Math.max(1, Math.ceil((fullAt - time) / 1_000));
  const headers = { 'ratelimit-policy': `"requests";q=${quota};w=1`, ratelimit: `"requests";r=${left};t=${seconds}` };
  if (!isUsedUp) return { headers };
  return {
    headers,
    refused: refuse('throttled', {
      detail: `This import supplier may send ${quota} requests per second. Send the same request again after the time in Retry-After.`,
      retryAfterSeconds: seconds,
    }),
  };
}

function quotaIn(options: KnownSupplier['options']): number | undefined {
  const quota = options['requests_per_second'];
  return typeof quota === 'number' ? quota : undefined;
}
