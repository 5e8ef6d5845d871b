import { buildActivities } from '../../activities/index.ts';
import { industrySwitchLimits, lookUpBudget, paymentBudget, taskQueues } from '../../temporal.config.ts';
import { watchCreations } from '../account-import/create/creation-watch.store.ts';
import { lostSlotAgeSeconds, watchLostSlots } from '../account-import/limit/free-lost-slots.client.ts';
import { systemClock } from '../platform/clock.ts';
import { openDatabase } from '../platform/database/database.ts';
import { entities } from './entities.ts';
import { databaseState } from '../platform/database/database-state.ts';
import type { Log } from '../platform/log.ts';
import type { Metrics } from '../platform/metrics/metrics.ts';
import type { Settings } from '../platform/settings.ts';
import { startNumberKeeper } from '../platform/numbers/keep-numbers.ts';
import { bundleWorkflows, runWorker } from '../platform/temporal/run-worker.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { readBacklog } from '../stuck/index.ts';
import { startDispatcher } from '../platform/work-items/dispatch-work-items.ts';
import { temporalLookUpRuns } from '../supply-points/look-up-runs.client.ts';
import { createSupplierDirectory } from '../suppliers/index.ts';
import { tellVendorRests } from '../payment-instructions/payment-vendor-rest.store.ts';
import { matchLateMessages } from '../switching/index.ts';
import { openPaymentVendors } from '../vendors/payment-vendor/open.ts';
import { createIndustrySwitch } from '../vendors/industry-switch/industry-switch.client.ts';
import { openNetworkOperators } from '../vendors/network-operator/open.ts';
import { creationContext } from './start-api.ts';
import { serveWorkerHealth } from './worker-health.ts';

export interface RunningWorkers {
  stop(): Promise<void>;
}

/** No attempt outlives its activity: the database ends what a worker that died or hangs has left open. */
const SESSION = { statement_timeout: 3_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 4_000 };

/** Few: switches wait for weeks, and creations need the database more. */
const SWITCHING_SLOTS = 4;

/** Few: accounts that take long, or that the database refuses, must leave it to the others. */
const ALONE_SLOTS = 2;

/** Starts a worker for each task queue, and the dispatcher. */
export async function startWorkers(options: {
  settings: Settings & { DATABASE_URL: string };
  gateway: TemporalGateway;
  log: Log;
  metrics?: Metrics;
}): Promise<RunningWorkers> {
  const { settings, gateway, log } = options;
  const database = await openDatabase({
    url: settings.DATABASE_URL,
    entities,
    poolSize: settings.WORKER_POOL_SIZE,
    log,
    applicationName: 'gangway-worker',
    sessionSettings: SESSION,
  });
  options.metrics?.observePool('worker', database.pool);
  options.metrics?.observeDueWork(() => readBacklog(database));
  const patientSession = { ...SESSION, statement_timeout: settings.CREATION_ALONE_STATEMENT_MS };
  const patientDatabase = await openDatabase({
    url: settings.DATABASE_URL,
    entities,
    poolSize: ALONE_SLOTS,
    log,
    applicationName: 'gangway-alone',
    sessionSettings: patientSession,
  });
  options.metrics?.observePool('alone', patientDatabase.pool);
  const suppliers = createSupplierDirectory({ database });
  const lookUpDatabase = await openDatabase({
    url: settings.DATABASE_URL,
    entities,
    poolSize: settings.LOOKUP_POOL_SIZE,
    log,
    applicationName: 'gangway-look-ups',
    sessionSettings: SESSION,
  });
  options.metrics?.observePool('look-ups', lookUpDatabase.pool);
  const operators = openNetworkOperators(settings, (operator, outcome) =>
    options.metrics?.partnerCalled(operator, outcome),
  );
  const vendors = openPaymentVendors(
    settings,
    (vendor, outcome) => options.metrics?.partnerCalled(vendor, outcome),
    tellVendorRests(database, log),
  );
  const industrySwitch =
    settings.INDUSTRY_SWITCH_URL === undefined
      ? undefined
      : createIndustrySwitch({
          url: settings.INDUSTRY_SWITCH_URL,
          credential: settings.INDUSTRY_SWITCH_CREDENTIAL,
          limits: industrySwitchLimits,
          onCall: (outcome) => options.metrics?.partnerCalled('industry-switch', outcome),
        });
  const lookUpRuns = temporalLookUpRuns({ gateway, log });
  const batchesEnded = (batchIds: readonly string[]) => void lookUpRuns.wake({ networkOperators: [], batchIds });
  const lookUps = (networkOperator: 'enedis' | 'grdf') => ({
    database: lookUpDatabase,
    networkOperator,
    operator: operators[networkOperator],
    knownDays: settings.LOOKUP_KNOWN_DAYS,
    batchesEnded,
    log,
  });
  const activities = buildActivities({
    imports: { database, patientDatabase, creation: creationContext({ suppliers, clock: systemClock, settings }), log },
    vendors,
    lookUps: { enedis: lookUps('enedis'), grdf: lookUps('grdf') },
    switching: { industrySwitch, leadDays: settings.SWITCH_LEAD_TIME_DAYS },
  });
  const common = { gateway, namespace: settings.TEMPORAL_NAMESPACE, graceMs: settings.SHUTDOWN_GRACE_MS, log };
  const workers = [
    runWorker({
      ...common,
      taskQueue: taskQueues.imports,
      bundle: await bundleWorkflows(),
      activities: activities.imports,
      slots: settings.WORKER_POOL_SIZE,
    }),
    runWorker({
      ...common,
      taskQueue: taskQueues.importsAlone,
      activities: activities.importsAlone,
      slots: ALONE_SLOTS,
    }),
    runWorker({
      ...common,
      taskQueue: taskQueues.payments,
      activities: activities.payments,
      slots: paymentBudget.slots,
    }),
    runWorker({ ...common, taskQueue: taskQueues.switching, activities: activities.switching, slots: SWITCHING_SLOTS }),
    runWorker({
      ...common,
      taskQueue: taskQueues.lookUpsEnedis,
      activities: activities.lookUpsEnedis,
      slots: lookUpBudget.pagesAtOnce,
    }),
    runWorker({
      ...common,
      taskQueue: taskQueues.lookUpsGrdf,
      activities: activities.lookUpsGrdf,
      slots: lookUpBudget.pagesAtOnce,
    }),
  ];
  // Without an address nothing can be asked: switches stay owed, and are looked at when a message comes.
  const leavesSwitchesOut = industrySwitch === undefined;
  const numbers = startNumberKeeper({ database, gateway, log });
  options.metrics?.observeNumbers(numbers);
  const stopSlotWatch = watchLostSlots({ database, gateway, log, minimumAgeSeconds: lostSlotAgeSeconds(settings) });
  const alsoRun = [matchLateMessages(database)];
  const stopDispatcher = startDispatcher({
    database,
    gateway,
    log,
    leavesSwitchesOut,
    isCreating: watchCreations(database),
    alsoRun,
  });
  const health = await serveWorkerHealth(
    settings,
    {
      databaseState: () => databaseState(database),
      isTemporalReady: () => gateway.isReady(),
      areWorkersRunning: () => workers.every((worker) => worker.isRunning()),
    },
    log,
  );
  return {
    stop: async () => {
      health.drain();
      await Promise.all([stopDispatcher(), stopSlotWatch(), numbers.stop()]);
      await Promise.all(workers.map((worker) => worker.stop()));
      await Promise.all(Object.values(vendors).map((vendor) => vendor.close()));
      await industrySwitch?.close();
      await Promise.all([operators.enedis.close(), operators.grdf.close()]);
      await lookUpDatabase.close();
      await patientDatabase.close();
      await database.close();
      await health.stop();
    },
  };
}
