import { buildActivities } from '../../activities/index.ts';
import { paymentBudget, taskQueues } from '../../temporal.config.ts';
import { freeLostSlots } from '../accounts/free-lost-slots.client.ts';
import { systemClock } from '../platform/clock.ts';
import { openDatabase } from '../platform/database/database.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { Settings } from '../platform/settings.ts';
import { bundleWorkflows, runWorker } from '../platform/temporal/run-worker.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { startSweeper } from '../platform/unfinished-work/sweeper.ts';
import { createSupplierDirectory } from '../suppliers/index.ts';
import { openPaymentVendors } from '../vendors/payment-vendor/index.ts';
import { creationContext } from './start-interface.ts';

export interface RunningImportsWorker {
  stop(): Promise<void>;
}

/** No attempt outlives its activity: the database ends what a worker that died or hangs has left open (design 7). */
const SESSION = { statement_timeout: 3_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 4_000 };

/** Starts a worker for each task queue, and the sweeper. */
export async function startImportsWorker(options: { settings: Settings & { DATABASE_URL: string }; gateway: TemporalGateway; log: Log; metrics?: Metrics }): Promise<RunningImportsWorker> {
  const { settings, gateway, log } = options;
  const database = await openDatabase({ url: settings.DATABASE_URL, poolSize: settings.WORKER_POOL_SIZE, log, applicationName: 'gangway-worker', sessionSettings: SESSION });
  options.metrics?.observePool('worker', database.pool);
  const suppliers = createSupplierDirectory({ database });
  const vendors = openPaymentVendors(settings, (vendor, outcome) => options.metrics?.partnerCalled(vendor, outcome));
  const activities = buildActivities({ database, vendors, creation: creationContext({ suppliers, clock: systemClock }), log });
  const common = { gateway, namespace: settings.TEMPORAL_NAMESPACE, graceMs: settings.SHUTDOWN_GRACE_MS, log };
  const workers = [
    runWorker({ ...common, taskQueue: taskQueues.imports, bundle: await bundleWorkflows(), activities: activities.imports, slots: settings.WORKER_POOL_SIZE }),
    runWorker({ ...common, taskQueue: taskQueues.payments, activities: activities.payments, slots: paymentBudget.slots }),
  ];
  const stopSweeper = startSweeper({ database, gateway, log, alsoSweep: [() => freeLostSlots({ database, gateway, log })] });
  return {
    stop: async () => {
      await stopSweeper();
      await Promise.all(workers.map((worker) => worker.stop()));
      await Promise.all(Object.values(vendors).map((vendor) => vendor.close()));
      await database.close();
    },
  };
}
