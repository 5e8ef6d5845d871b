import { sql } from 'kysely';
import { paymentVendorLimits } from '../../temporal.config.ts';
import { kyselyOf, type Askable } from '../platform/database/prepared-query.ts';
import { loggedFault, type Log } from '../platform/log.ts';
import { createShortCache } from '../platform/short-cache.ts';
import type { PaymentVendor } from '../vocabulary/value-sets.ts';
import type { PaymentVendorRestTable } from './payment-vendor-rest.entity.ts';

/** Makes a function that tells all processes when a vendor is given a rest, and when it answers again. If it cannot, requests wait out their time as before. */
export function tellVendorRests(database: Askable, log: Log): (vendor: PaymentVendor, isResting: boolean) => void {
  return (vendor, isResting) => {
    const told = isResting ? noteRest(database, vendor) : endRest(database, vendor);
    told.catch((error: unknown) => {
      log.warn(
        { vendor, fault: loggedFault(error) },
        'the rest of a payment vendor could not be told to the other processes',
      );
    });
  };
}

/** Of two processes that tell of a rest the longer one counts. */
async function noteRest(database: Askable, vendor: PaymentVendor): Promise<void> {
  const seconds = paymentVendorLimits[vendor].restMs / 1_000;
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

async function endRest(database: Askable, vendor: PaymentVendor): Promise<void> {
  await kyselyOf<PaymentVendorRestTable>(database)
    .deleteFrom('payment_vendor_rest')
    .where('vendor', '=', vendor)
    .execute();
}

async function findResting(database: Askable): Promise<ReadonlySet<string>> {
  const rows = await kyselyOf<PaymentVendorRestTable>(database)
    .selectFrom('payment_vendor_rest')
    .select('vendor')
    .where('ends_at', '>', sql<Date>`clock_timestamp()`)
    .execute();
  return new Set(rows.map(({ vendor }) => vendor));
}

/** Tells whether a vendor is given a rest now. */
export interface VendorRestWatch {
  /** @param vendor a vendor, or what somebody sent in the place of one */
  isResting(vendor: string): Promise<boolean>;
}

/** One look serves all requests of a process for so long. */
const KNOWN_FOR_MS = 500;

/** Watches which vendors rest: at most two reads a second, however many requests ask. A read that fails says that none does. */
export function watchVendorRests(database: Askable, now?: () => number): VendorRestWatch {
  const cache = createShortCache<'resting', ReadonlySet<string>>({
    ask: async () => {
      try {
        return await findResting(database);
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
