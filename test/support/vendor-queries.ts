import { v7 as uuidv7 } from 'uuid';
import type { Database } from '../../src/platform/database/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { openVendorQueries, type VendorQueries } from '../../src/reconciliation/query-vendors.client.ts';
import { startReconciliation } from '../../src/reconciliation/reconciliation.store.ts';
import { openPaymentVendors } from '../../src/vendors/payment-vendor/open.ts';
import { startPaymentVendors } from './payment-vendors.ts';

const NEVER = new AbortController().signal;

/** Runs work with simulated payment vendors, and with queries about the instructions of a separate import supplier. */
export async function withVendorQueries(
  database: Database,
  work: (ask: { start(): Promise<string>; openVendorQueries(signal?: AbortSignal): VendorQueries }) => Promise<void>,
): Promise<void> {
  const simulated = await startPaymentVendors();
  const vendors = openPaymentVendors(readSettings(simulated.settings));
  const log = createLog({ level: 'silent', process: 'test' });
  const budget = { page: 8, spacingMs: 0, atOnce: 4, pauseMs: 1, longestPauseMs: 5, failuresInARow: 3 };
  const deps = { database, vendors, log, callsPerDay: 25, budget, keep: database.transaction };
  const start = async () => {
    const id = uuidv7();
    const wanted = { id, importSupplier: 'ASKED', importJobId: null, organisation: null };
    await database.transaction((em) => startReconciliation(em, wanted));
    return id;
  };
  try {
    await database.pool.query(
      `insert into import_supplier (code, name, status) values ('ASKED', 'Asked', 'Ongoing') on conflict do nothing`,
    );
    await work({ start, openVendorQueries: (signal = NEVER) => openVendorQueries(deps, () => false, signal) });
  } finally {
    await Promise.all(Object.values(vendors).map((vendor) => vendor.close()));
    await simulated.stop();
  }
}
