import { buildActivities } from '../../activities/index.ts';
import {
  lookupBudget,
  paymentBudget,
  taskQueues,
  importJobBudget,
  deliveryPace,
  reconciliationBudget,
} from '../../temporal.config.ts';
import { keepAuditSealed, maintainAuditChain, measureAuditChain } from '../audit-chain/index.ts';
import { deleteOldBulkResults } from '../bulk-actions/index.ts';
import { keepAccountCounts } from '../account-import/count/account-counts.store.ts';
import { createCreationActivity, type CreationActivity } from '../account-import/create/creation-activity.queue.ts';
import { listenForCreations } from '../account-import/create/creation-notifications.store.ts';
import { readStoredBytes } from '../import-jobs/index.ts';
import { keepEvents } from '../events/index.ts';
import { maintainImportJobs } from '../import-jobs/work-off/maintain-import-jobs.store.ts';
import { lostSlotAgeSeconds, watchLostSlots } from '../account-import/limit/free-lost-slots.client.ts';
import { beginRetentionByNight, findRetention } from '../personal-data/index.ts';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../platform/database/database.ts';
import { databaseState } from '../platform/database/database-state.ts';
import { refuseUnfitSessions } from '../platform/database/session-settings.ts';
import { watchClock } from '../platform/database/watch-clock.ts';
import { startNumberKeeper } from '../platform/numbers/keep-numbers.ts';
import { listenAddress } from '../platform/secrets/secrets.ts';
import type { Settings } from '../platform/settings.ts';
import { bundleWorkflows, runWorker, type RunningWorker, type WorkflowSlots } from '../platform/temporal/run-worker.ts';
import { noteFailures } from '../platform/work-items/failure-interceptor.ts';
import { startDispatcher } from '../platform/work-items/dispatch-work-items.ts';
import { readState } from './read-state.ts';
import { countStuck, readBacklog } from '../stuck/index.ts';
import { followCertificateKeys } from '../reconciliation/index.ts';
import { createSupplierDirectory } from '../suppliers/index.ts';
import { runsOf } from '../supply-points/populate/populate.store.ts';
import { temporalWorkRuns } from '../platform/temporal/start-run.ts';
import { matchLateMessages, wakeDueSwitches } from '../switching/index.ts';
import { countWaves } from '../waves/index.ts';
import type { NetworkOperatorName } from '../vocabulary/network-operators.ts';
import { creationContext } from './creation-context.ts';
import { openImportJobs } from './open-import-jobs.ts';
import { openOutsideParties, type OutsideParties } from './open-outside-parties.ts';
import { openMeasuredDatabase, withDefaults, type OpenOptions, type ProcessOptions } from './server-process.ts';
import { buildIdOf, version } from './version.ts';
import { serveWorkerHealth } from './worker-health.ts';
import { raw, type FilterQuery } from '@mikro-orm/core';
import { PartyHealth } from '../platform/vendor-http/party-health.entity.ts';
import { WorkItem } from '../platform/work-items/work-item.entity.ts';
import { PaymentVendorRest } from '../payment-instructions/payment-instruction.entity.ts';
import { Throttle } from '../supply-points/supply-point.entity.ts';

export interface RunningWorkers {
  stop(): Promise<void>;
}

/** Shorter than activity timeouts, so that the database ends statements and transactions of a worker that died or hangs. */
const LIMITS = { statement_timeout: 3_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 4_000 };

/** A page of requests, and switches with runs of their own, whose calls may time out. */
const SWITCHING_SLOTS = 16;

/** Few, so that accounts that time out or that the database rejects leave capacity to others. */
const ALONE_SLOTS = 2;

/** Starts a worker for each task queue, and the dispatcher. */
export async function startWorkers(given: Omit<ProcessOptions, 'clock'>): Promise<RunningWorkers> {
  const options = withDefaults(given);
  const databases = await openDatabases(options);
  options.metrics.observeService('state', () => readState({ ...options, database: databases.worker }));
  const parties = openOutsideParties({ ...options, database: databases.worker });
  const activity = createCreationActivity();
  const workers = await runWorkers(options, databases.worker, activitiesOf(options, { databases, parties, activity }));
  // Jobs yield to single creations of other processes too.
  const creations = listenForCreations({
    secret: listenAddress(options.secrets),
    log: options.log,
    onNotification: activity.notified,
  });
  const clockWatch = watchClock({
    database: databases.worker,
    log: options.log,
    onSetBack: () => shortenWaits(databases.worker),
  });
  const keepers = startKeepers(options, databases.worker, parties, activity);
  const health = await serveWorkerHealth(
    options.settings,
    {
      databaseState: () => databaseState(databases.worker),
      isTemporalReady: () => options.gateway.isReady(),
      areWorkersRunning: () => workers.every((worker) => worker.isRunning()),
      clockState: clockWatch.state,
    },
    options.log,
  );
  return {
    stop: async () => {
      health.drain();
      await keepers.stop();
      await clockWatch.stop();
      await creations.close();
      await Promise.all(workers.map((worker) => worker.stop()));
      await parties.close();
      for (const database of Object.values(databases).toReversed()) await database.close();
      await health.stop();
    },
  };
}

type Databases = Awaited<ReturnType<typeof openDatabases>>;

async function openDatabases(options: OpenOptions) {
  const { settings, metrics } = options;
  const open = (name: string, poolSize: number, limits = LIMITS) =>
    openMeasuredDatabase(options, { name, poolSize, limits });
  const patient = { ...LIMITS, statement_timeout: settings.CREATION_ALONE_STATEMENT_MS };
  const worker = await open('worker', settings.WORKER_POOL_SIZE);
  await refuseUnfitSessions(worker);
  metrics.observeService('backlog', () => readBacklog(worker));
  metrics.observeService('stuck', () => countStuck(worker));
  metrics.observeService('storedJobs', () => readStoredBytes(worker));
  metrics.observeService('waves', () => countWaves(worker));
  metrics.observeService('retention', () => findRetention(worker));
  metrics.observeService('auditChain', () => measureAuditChain(worker));
  return {
    worker,
    // For accounts created alone, with a longer statement timeout.
    alone: await open('alone', ALONE_SLOTS, patient),
    lookups: await open('look-ups', settings.LOOKUP_POOL_SIZE),
    // A separate pool, so that a migration leaves connections for other work.
    importJobs: await open('import-jobs', importJobBudget.jobsAtOnce * (importJobBudget.concurrentPages + 1)),
    // A separate pool for long reads.
    reconciliation: await open('reconciliation', reconciliationBudget.runsAtOnce + 1),
  };
}

type Activities = ReturnType<typeof buildActivities>;

function activitiesOf(
  { settings, secrets, gateway, log, metrics }: OpenOptions,
  { databases, parties, activity }: { databases: Databases; parties: OutsideParties; activity: CreationActivity },
): Activities {
  const { networkOperators, vendors, industrySwitch } = parties;
  const { worker: database, alone: slowDatabase } = databases;
  const suppliers = createSupplierDirectory({ database });
  const runs = temporalWorkRuns({ gateway, log });
  const lookups = (networkOperator: NetworkOperatorName) => ({
    database: databases.lookups,
    networkOperator,
    client: networkOperators[networkOperator],
    knownDays: settings.LOOKUP_KNOWN_DAYS,
    batchesEnded: (batchIds: readonly string[]) => void runs.start(runsOf({ networkOperators: [], batchIds })),
    log,
  });
  const hashKey = settings.FIELD_HASH_KEY && Buffer.from(settings.FIELD_HASH_KEY, 'base64');
  const patient = { database: databases.reconciliation, log, activity, hashKey: hashKey || undefined };
  return buildActivities({
    runs,
    imports: {
      database,
      slowDatabase,
      creation: creationContext({ suppliers, clock: systemClock, settings }),
      activity,
      log,
    },
    vendors,
    lookups: { enedis: lookups('enedis'), grdf: lookups('grdf') },
    switching: { industrySwitch, ...pageContext(settings, industrySwitch), activity },
    reconciliation: { ...patient, version, vendors, callsPerDay: settings.RECONCILIATION_VENDOR_CALLS_PER_DAY },
    retention: {
      ...patient,
      clock: systemClock,
      kept: {
        created_payload: settings.CREATED_PAYLOAD_KEPT_DAYS,
        never_created: settings.NEVER_CREATED_KEPT_DAYS,
        audit: settings.AUDIT_KEPT_DAYS,
        idempotency_key: settings.IDEMPOTENCY_KEYS_KEPT_DAYS,
      },
      hours: nightHours(settings),
    },
    events: { webhooks: parties.webhooks, onCall: (outcome) => metrics.partnerCalled('webhook', outcome) },
    withdrawal: { database: databases.importJobs, log, activity },
    bulkActions: { database: databases.importJobs, log, activity, gateway, leadDays: settings.SWITCH_LEAD_TIME_DAYS },
    importJobs: openImportJobs({
      settings,
      secrets,
      log,
      metrics,
      database: databases.importJobs,
      activity,
      gateway,
      vendors,
    }),
  });
}

/** Without an address no switch can be requested: switches stay pending until a market message signals them. */
function pageContext(settings: Settings, industrySwitch: OutsideParties['industrySwitch']) {
  return { leadDays: settings.SWITCH_LEAD_TIME_DAYS, canRequest: industrySwitch !== undefined };
}

function nightHours({ RETENTION_FROM_HOUR: from, RETENTION_UNTIL_HOUR: until }: Settings) {
  return { from, until };
}

/** Creates a worker for each task queue; two of them also run workflows: creations, and all others. */
async function runWorkers(
  { settings, gateway, log }: OpenOptions,
  database: Database,
  activities: Activities,
): Promise<RunningWorker[]> {
  const common = {
    gateway,
    interceptors: [noteFailures(database)],
    namespace: settings.TEMPORAL_NAMESPACE,
    graceMs: settings.SHUTDOWN_GRACE_MS,
    log,
    build: {
      id: settings.TEMPORAL_WORKER_BUILD_ID ?? buildIdOf(settings),
      deployment: settings.TEMPORAL_DEPLOYMENT_NAME,
    },
  };
  const { WORKFLOW_BUNDLE: codePath } = settings;
  const bundle = codePath === undefined ? await bundleWorkflows() : { codePath };
  // Together with the local activities, as many activities as the pool has connections.
  const fifth = Math.max(1, Math.floor(settings.WORKER_POOL_SIZE / 5));
  const workflowSlots: Partial<Record<keyof Activities, WorkflowSlots>> = {
    // Enough tasks that an eager start always finds a slot.
    creations: { bundle, localActivities: 2 * fifth, tasks: 120, polls: 60 },
    imports: { bundle, localActivities: fifth, tasks: 40, polls: 20 },
  };
  const slots: Record<keyof Activities, number> = {
    creations: fifth,
    creationsAlone: ALONE_SLOTS,
    imports: fifth,
    payments: paymentBudget.slots,
    switching: SWITCHING_SLOTS,
    importJobs: importJobBudget.jobsAtOnce,
    reconciliation: reconciliationBudget.runsAtOnce,
    events: deliveryPace.slots,
    lookupsEnedis: lookupBudget.pagesAtOnce,
    lookupsGrdf: lookupBudget.pagesAtOnce,
  };
  return (Object.keys(slots) as (keyof Activities)[]).map((queue) =>
    runWorker({
      ...common,
      taskQueue: taskQueues[queue],
      activities: activities[queue],
      slots: slots[queue],
      workflows: workflowSlots[queue],
    }),
  );
}

/** Starts background tasks beside the queues: dispatcher, lost slots, counts and number reservation. */
function startKeepers(
  { settings, secrets, gateway, log, metrics }: OpenOptions,
  database: Database,
  { industrySwitch }: OutsideParties,
  activity: CreationActivity,
): RunningWorkers {
  const numbers = startNumberKeeper({ database, gateway, log });
  metrics.observe('numbers', numbers.areUnavailable);
  const stopSlotWatch = watchLostSlots({ database, gateway, log, minimumAgeSeconds: lostSlotAgeSeconds(settings) });
  const stopCounts = keepAccountCounts({ database, log });
  const chain = { database, keys: followCertificateKeys(secrets.of('RECONCILIATION_KEY')), log };
  const stopSealing = keepAuditSealed(chain);
  const stopDispatcher = startDispatcher({
    database,
    gateway,
    log,
    everyMs: settings.DISPATCH_EVERY_MS,
    isBusy: activity.isActive,
    alsoRun: [
      matchLateMessages(database),
      wakeDueSwitches(database, pageContext(settings, industrySwitch)),
      maintainImportJobs(database, settings),
      deleteOldBulkResults(database, settings),
      keepEvents(database, settings),
      beginRetentionByNight(database, nightHours(settings), systemClock),
      maintainAuditChain({ ...chain, keptDays: settings.AUDIT_KEPT_DAYS }),
    ],
  });
  return {
    stop: async () => {
      await Promise.all([stopDispatcher(), stopSlotWatch(), stopCounts(), stopSealing(), numbers.stop()]);
    },
  };
}

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
