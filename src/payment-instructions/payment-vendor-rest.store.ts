import { paymentVendorLimits } from '../../temporal.config.ts';
import { run, type Queryable, type PreparedQuery } from '../platform/database/prepared-query.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import { createShortCache } from '../platform/short-cache.ts';
import type { PaymentVendor } from '../vocabulary/value-sets.ts';

const NOTE: PreparedQuery = {
  name: 'payment-vendor-rest-note',
  text: `
    insert into payment_vendor_rest (vendor, ends_at) values ($1, clock_timestamp() + make_interval(secs => $2))
    on conflict (vendor) do update set ends_at = greatest(payment_vendor_rest.ends_at, excluded.ends_at)`,
};

const END: PreparedQuery = {
  name: 'payment-vendor-rest-end',
  text: 'delete from payment_vendor_rest where vendor = $1',
};

const RESTING: PreparedQuery = {
  name: 'payment-vendor-resting',
  text: 'select vendor from payment_vendor_rest where ends_at > clock_timestamp()',
};

/** Makes a function that tells all processes when a vendor is given a rest, and when it answers again. If it cannot, requests wait out their time as before. */
export function tellVendorRests(database: Queryable, log: Log): (vendor: PaymentVendor, isResting: boolean) => void {
  return (vendor, isResting) => {
    const told = isResting
      ? run(database, NOTE, [vendor, paymentVendorLimits[vendor].restMs / 1_000])
      : run(database, END, [vendor]);
    told.catch((error: unknown) => {
      log.warn(
        { vendor, fault: loggedFault(error) },
        'the rest of a payment vendor could not be told to the other processes',
      );
    });
  };
}

/** Tells whether a vendor is given a rest now. */
export interface VendorRestWatch {
  isResting(vendor: PaymentVendor): Promise<boolean>;
}

/** One look serves all requests of a process for so long. */
const KNOWN_FOR_MS = 500;

/** Watches which vendors rest: at most two reads a second, however many requests ask. A read that fails says that none does. */
export function watchVendorRests(database: Queryable, now?: () => number): VendorRestWatch {
  const cache = createShortCache<'resting', ReadonlySet<string>>({
    ask: async () => {
      try {
        return new Set((await run<{ vendor: string }>(database, RESTING, [])).map(({ vendor }) => vendor));
      } catch {
        return new Set();
      }
    },
    forMs: KNOWN_FOR_MS,
    joinedForMs: KNOWN_FOR_MS,
    now,
  });
  return { isResting: async (vendor) => (await cache.fetch('resting')).has(vendor) };
}
