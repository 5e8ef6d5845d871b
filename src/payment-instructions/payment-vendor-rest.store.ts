import { raw } from '@mikro-orm/postgresql';
import { sql } from 'kysely';
import { paymentVendorLimits } from '../../temporal.config.ts';
import { emOf, kyselyOf, type Queryable } from '../platform/database/prepared-query.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import { createShortCache } from '../platform/short-cache.ts';
import type { PaymentVendor } from '../vocabulary/value-sets.ts';
import { PaymentVendorRest, type PaymentVendorRestTable } from './payment-instruction.entity.ts';

/** Creates a function that shares the circuit breaker state of a vendor with all processes. If storing fails, requests wait for their full timeout. */
export function recordPausedVendors(database: Queryable, log: Log): (vendor: PaymentVendor, isPaused: boolean) => void {
  return (vendor, isPaused) => {
    const stored = isPaused ? storePause(database, vendor) : endPause(database, vendor);
    stored.catch((error: unknown) => {
      log.warn({ vendor, fault: loggedFault(error) }, 'circuit breaker state of a payment vendor not stored');
    });
  };
}

/** If several processes open the circuit breaker, the latest end counts. */
async function storePause(database: Queryable, vendor: PaymentVendor): Promise<void> {
  const seconds = paymentVendorLimits[vendor].openMs / 1_000;
  await kyselyOf<PaymentVendorRestTable>(database)
    .insertInto('payment_vendor_rest')
    .values({ vendor, ends_at: sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})` })
    .onConflict((conflict) =>
      conflict
        .column('vendor')
        .doUpdateSet({ ends_at: sql<Date>`greatest(payment_vendor_rest.ends_at, excluded.ends_at)` }),
    )
    .execute();
}

async function endPause(database: Queryable, vendor: PaymentVendor): Promise<void> {
  await emOf(database).nativeDelete(PaymentVendorRest, { vendor });
}

/** Reports which vendors are paused. */
export interface PausedVendors {
  /** @param vendor a vendor; may be an invalid value from a request */
  isPaused(vendor: string): Promise<boolean>;
}

/** For how long one read serves all requests of a process. */
const KNOWN_FOR_MS = 500;

/** Reads which vendors are paused, at most twice per second. If a read fails, no vendor counts as paused. */
export function watchPausedVendors(database: Queryable, now?: () => number): PausedVendors {
  const cache = createShortCache<'paused', ReadonlySet<string>>({
    load: async () => {
      try {
        const paused = await emOf(database).find(PaymentVendorRest, { endsAt: { $gt: raw('clock_timestamp()') } });
        return new Set(paused.map(({ vendor }) => vendor));
      } catch {
        return new Set();
      }
    },
    forMs: KNOWN_FOR_MS,
    joinedForMs: KNOWN_FOR_MS,
    now,
  });
  return { isPaused: async (vendor) => (await cache.fetch('paused')).has(vendor) };
}
