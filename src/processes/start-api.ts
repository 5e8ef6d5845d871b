import { createAuthenticator } from '../access/index.ts';
import { obtainTokenOperation } from '../access/obtain-token.openapi.ts';
import { obtainToken } from '../access/obtain-token.route.ts';
import { temporalCreationRuns } from '../account-import/create/create-account.client.ts';
import { watchConcurrencyLimit } from '../account-import/limit/concurrency-limit.store.ts';
import { createCreationQueue } from '../account-import/create/create-account.queue.ts';
import { queueWithMetrics, runsWithMetrics } from '../account-import/create/creation-metrics.queue.ts';
import { listenForCreations } from '../account-import/create/creation-notifications.store.ts';
import { databaseSlots } from '../account-import/limit/creation-slot.store.ts';
import { limitCreationRuns } from '../account-import/create/limit-creation-runs.queue.ts';
import { revalidateStaged, rulesVersion } from '../account-import/validate/check-account-payload.validation.ts';
import type { CreationContext } from '../account-import/create/create-account.store.ts';
import { contractPages } from '../openapi/pages.ts';
import { systemClock, type Clock } from '../platform/clock.ts';
import { openDatabase } from '../platform/database/database.ts';
import { entities } from './entities.ts';
import { databaseState } from '../platform/database/database-state.ts';
import { createApp, type AppOptions } from '../platform/http/app.ts';
import { createLargeBodyGate } from '../platform/http/large-body-gate.ts';
import { createLoopShare } from '../platform/http/loop-share.ts';
import { healthRoutes } from '../platform/http/health.route.ts';
import { serveHttp } from '../platform/http/http-server.ts';
import { buildRoutes } from './routes.ts';
import type { Log } from '../platform/log.ts';
import { startNumberKeeper } from '../platform/numbers/keep-numbers.ts';
import { noMetrics, type Metrics } from '../platform/metrics/metrics.ts';
import type { Settings } from '../platform/settings.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { readBacklog } from '../stuck/index.ts';
import { temporalLookUpRuns } from '../supply-points/look-up-runs.client.ts';
import {
  createDocumentCheck,
  createRequestQuotas,
  createSupplierDirectory,
  type DocumentCheck,
  type SupplierDirectory,
} from '../suppliers/index.ts';
import { createFolderDocumentStore } from '../vendors/document-store/folder.client.ts';
import { createS3DocumentStore } from '../vendors/document-store/s3.client.ts';

export interface RunningApi {
  url: string;
  /** Drains, then closes what was opened here. */
  stop(): Promise<void>;
}

export interface ApiOptions {
  settings: Settings & { DATABASE_URL: string };
  gateway: TemporalGateway;
  log: Log;
  clock?: Clock;
  metrics?: Metrics;
}

/** Longest that a request of the interface may work or wait in the database. */
const SESSION = { statement_timeout: 10_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 15_000 };

/** Starts the HTTP interface. It comes up without Temporal; only what needs a workflow is refused then. */
export async function startApi({
  settings,
  gateway,
  log,
  clock = systemClock,
  metrics = noMetrics,
}: ApiOptions): Promise<RunningApi> {
  const database = await openDatabase({
    url: settings.DATABASE_URL,
    entities,
    poolSize: settings.HTTP_POOL_SIZE,
    log,
    applicationName: 'gangway-http',
    sessionSettings: SESSION,
  });
  const lists = await openDatabase({
    url: settings.DATABASE_URL,
    entities,
    poolSize: settings.LIST_POOL_SIZE,
    log,
    applicationName: 'gangway-lists',
    sessionSettings: SESSION,
  });
  const suppliers = createSupplierDirectory({ database });
  const creation = creationContext({ suppliers, clock, settings });
  const limit = watchConcurrencyLimit({ database });
  const slots = databaseSlots({ database, limit, log });
  const news = listenForCreations({ url: settings.DATABASE_URL, log });
  const runs = runsWithMetrics(
    limitCreationRuns(temporalCreationRuns(gateway, settings.CREATION_START_DEADLINE_MS, news), slots),
    metrics,
  );
  const queue = queueWithMetrics(
    createCreationQueue(
      runs,
      {
        runsInFlight: settings.CREATION_RUNS_IN_FLIGHT,
        batchSize: settings.CREATION_BATCH_SIZE,
        runsOpenMax: settings.CREATION_RUNS_OPEN_MAX,
        requestsWaitingMax: settings.CREATION_REQUESTS_WAITING_MAX,
        slotTimeoutMs: settings.CREATION_PLACE_HELD_MS,
        answerTimeoutMs: settings.CREATION_PATIENCE_MS,
      },
      slots,
    ),
    metrics,
  );
  metrics.observeQueue(queue);
  metrics.observePool('http', database.pool);
  metrics.observePool('lists', lists.pool);
  metrics.observeDueWork(() => readBacklog(database));
  const numbers = startNumberKeeper({ database, gateway, log });
  metrics.observeNumbers(numbers);
  let isDraining = () => false;
  const health = healthRoutes({
    databaseState: () => databaseState(database),
    isTemporalReady: () => gateway.isReady(),
    areNumbersHeldBack: numbers.areHeldBack,
    isDraining: () => isDraining(),
  });
  const routes = [
    ...health,
    ...buildRoutes({
      settings,
      clock,
      database,
      lists,
      suppliers,
      documents: documentCheck(settings),
      creation,
      queue,
      limit,
      gateway,
      runs: temporalLookUpRuns({ gateway, log }),
    }),
  ];
  const authenticator = createAuthenticator({ database });
  const largeBodies = createLargeBodyGate({
    roomBytes: settings.LARGE_BODIES_BYTES,
    waitsMs: settings.LARGE_BODY_WAIT_MS,
    arrivesMs: settings.LARGE_BODY_ARRIVAL_MS,
  });
  metrics.observeLargeBodies(largeBodies);
  const app = createApp({
    routes,
    log,
    largeBodies,
    loopShare: createLoopShare(),
    pages: contractPages(routes, [obtainTokenOperation]),
    onAnswered: metrics.requestAnswered,
    isBehindTls: settings.HTTP_BEHIND_TLS,
    proxies: settings.HTTP_PROXIES,
    authenticate: authenticator.authenticate,
    takeQuota: quotaOf(suppliers),
    extra: [
      obtainToken({
        database,
        log,
        largeBodies,
        onIssued: authenticator.introduce,
        allowIntrospection: settings.GRAPHQL_INTROSPECTION,
      }),
    ],
  });
  const answer = app.callback();
  const server = await serveHttp(
    (request, response) => {
      void answer(request, response);
    },
    settings,
    log,
  );
  metrics.observeConnections(server.connections);
  isDraining = server.isDraining;
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await news.close();
      await numbers.stop();
      await lists.close();
      await database.close();
    },
  };
}

/** What creation needs besides the database; the same in the interface (dry run) and in the worker. */
export function creationContext(deps: {
  suppliers: ReturnType<typeof createSupplierDirectory>;
  clock: Clock;
  settings: Pick<Settings, 'SWITCH_LEAD_TIME_DAYS'>;
}): CreationContext {
  return {
    currentRules: rulesVersion,
    revalidate: revalidateStaged(deps),
    switchLeadDays: deps.settings.SWITCH_LEAD_TIME_DAYS,
  };
}

/** Counts the requests of a key against each of its import suppliers: what a request is about is known only after its body was read. */
function quotaOf(suppliers: SupplierDirectory): NonNullable<AppOptions['takeQuota']> {
  const take = createRequestQuotas();
  return async ({ importSuppliers }) => {
    const known = await suppliers.all();
    return take([...importSuppliers].flatMap((code) => known.get(code) ?? []));
  };
}

/** Asks the stores that the settings name; nothing is opened before a supplier's documents are looked up. */
function documentCheck(settings: Settings): DocumentCheck {
  const s3 = createS3DocumentStore({
    endpoint: settings.DOCUMENT_STORE_ENDPOINT,
    region: settings.DOCUMENT_STORE_REGION,
    timeoutMs: settings.DOCUMENT_STORE_TIMEOUT_MS,
    accessKeyId: settings.DOCUMENT_STORE_ACCESS_KEY_ID,
    secretAccessKey: settings.DOCUMENT_STORE_SECRET_ACCESS_KEY,
  });
  return createDocumentCheck({
    stores: { s3, folder: createFolderDocumentStore() },
    deadlineMs: settings.DOCUMENT_STORE_DEADLINE_MS,
  });
}
