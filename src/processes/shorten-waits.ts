import { raw, type FilterQuery } from '@mikro-orm/core';
import type { Database } from '../platform/database/database.ts';
import { PartyHealth } from '../platform/vendor-http/party-health.entity.ts';
import { WorkItem } from '../platform/work-items/work-item.entity.ts';
import { PaymentVendorRest } from '../payment-instructions/payment-instruction.entity.ts';
import { Throttle } from '../supply-points/supply-point.entity.ts';

/**
 * Limits all waits to one minute. Call it after the database's clock was set back: times written before would otherwise wait until the
 * clock catches up. Work that is running and parties that are still down are deferred again at their next attempt.
 */
export async function shortenWaits(database: Pick<Database, 'transaction'>): Promise<void> {
  const latest = () => raw<Date>(`clock_timestamp() + interval '1 minute'`);
  await database.transaction(async (em) => {
    await em.nativeUpdate(Throttle, { blockedUntil: { $gt: latest() } }, { blockedUntil: latest() });
    await em.nativeUpdate(PartyHealth, { restsUntil: { $gt: latest() } }, { restsUntil: latest() });
    await em.nativeUpdate(PaymentVendorRest, { endsAt: { $gt: latest() } }, { endsAt: latest() });
    // Excludes switches that wait for their date or for messages.
    const isWaited: FilterQuery<WorkItem> = {
      $or: [
        { kind: { $ne: 'switch-supplier' } },
        { heldUntil: { $gt: latest() } },
        { createdAt: { $gt: raw('now()') } },
      ],
    };
    const waited = { $and: [{ startAt: { $gt: latest() } }, isWaited] };
    await em.nativeUpdate(WorkItem, waited, { startAt: latest(), heldUntil: null });
  });
}
