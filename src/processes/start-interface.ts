import { createServer, type Server } from 'node:http';
import { Server as NetServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAuthenticator } from '../access/index.ts';
import { obtainTokenOperation } from '../access/access.contract.ts';
import { obtainToken } from '../access/obtain-token.route.ts';
import { temporalCreationRuns } from '../accounts/create-account.client.ts';
import { watchConcurrencyLimit } from '../accounts/concurrency-limit.store.ts';
import { createCreationQueue } from '../accounts/create-account.queue.ts';
import { measuredQueue, measuredRuns } from '../accounts/measured-creation.queue.ts';
import { databaseSlots } from '../accounts/creation-slot.store.ts';
import { slottedRuns } from '../accounts/slotted-runs.queue.ts';
import { revalidateStaged, rulesVersion } from '../accounts/check-account-payload.validation.ts';
import type { CreationContext } from '../accounts/create-account.store.ts';
import { contractPages } from '../contract/contract-pages.ts';
import { systemClock, type Clock } from '../platform/clock.ts';
import { openDatabase, type Database } from '../platform/database/database.ts';
import { createApp } from '../platform/http/app.ts';
import { healthRoutes } from '../platform/http/health.route.ts';
import { answerMalformed } from '../platform/http/malformed-request.ts';
import { buildRoutes } from '../platform/http/routes.ts';
import type { Log } from '../platform/log.ts';
import { noMetrics, type Metrics } from '../platform/metrics/metrics.ts';
import type { Settings } from '../platform/settings.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { temporalLookUpRuns } from '../supply-points/look-up-runs.client.ts';
import { createDocumentCheck, createSupplierDirectory, type DocumentCheck } from '../suppliers/index.ts';
import { createFolderDocumentStore } from '../vendors/document-store/folder.client.ts';
import { createS3DocumentStore } from '../vendors/document-store/s3.client.ts';

export interface RunningInterface {
  url: string;
  /** Stops accepting, gives clients time to leave, lets requests under way end, then closes what was opened here. */
  stop(): Promise<void>;
}

export interface InterfaceOptions {
  settings: Settings & { DATABASE_URL: string };
  gateway: TemporalGateway;
  log: Log;
  clock?: Clock;
  metrics?: Metrics;
}

/** Longer than those keep an idle connection who stand in front of services (60 s by habit), so that none sends a request on one that is closed here at that moment. */
const KEEP_ALIVE_MS = 65_000;
/** How long of its drain a stop goes on accepting, so that who balances load sees "stopping". */
const DRAIN_NOTICE_MS = 500;
/** A client that sent a request so shortly ago is likely to send the next one on the same connection. */
const RECENTLY_MS = 1_000;
/** Longest that a request of the interface may work or wait in the database. */
const SESSION = { statement_timeout: 10_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 15_000 };

/** Starts the HTTP interface. It comes up without Temporal; only what needs a workflow is refused then. */
export async function startInterface({ settings, gateway, log, clock = systemClock, metrics = noMetrics }: InterfaceOptions): Promise<RunningInterface> {
  const database = await openDatabase({ url: settings.DATABASE_URL, poolSize: settings.HTTP_POOL_SIZE, log, applicationName: 'gangway-http', sessionSettings: SESSION });
  const lists = await openDatabase({ url: settings.DATABASE_URL, poolSize: settings.LIST_POOL_SIZE, log, applicationName: 'gangway-lists', sessionSettings: SESSION });
  const suppliers = createSupplierDirectory({ database });
  const creation = creationContext({ suppliers, clock, settings });
  const limit = watchConcurrencyLimit({ database });
  const slots = databaseSlots({ database, limit, log });
  const runs = measuredRuns(slottedRuns(temporalCreationRuns(gateway, settings.CREATION_START_DEADLINE_MS), slots), metrics);
  const queue = measuredQueue(createCreationQueue(runs, {
    runsInFlight: settings.CREATION_RUNS_IN_FLIGHT, batchSize: settings.CREATION_BATCH_SIZE, runsOpenMax: settings.CREATION_RUNS_OPEN_MAX,
    requestsWaitingMax: settings.CREATION_REQUESTS_WAITING_MAX, placeHeldMs: settings.CREATION_PLACE_HELD_MS, patienceMs: settings.CREATION_PATIENCE_MS,
  }, slots), metrics);
  metrics.observeQueue(queue);
  metrics.observePool('http', database.pool);
  metrics.observePool('lists', lists.pool);
  let draining = false;
  const health = healthRoutes({ isDatabaseReady: () => isReady(database), isTemporalReady: () => gateway.isReady(), isDraining: () => draining });
  const routes = [...health, ...buildRoutes({ settings, clock, database, lists, suppliers, documents: documentCheck(settings), creation, queue, limit, gateway, runs: temporalLookUpRuns({ gateway, log }) })];
  const app = createApp({
    routes,
    log,
    pages: contractPages(routes, [obtainTokenOperation]),
    onAnswered: metrics.requestAnswered,
    isBehindTls: settings.HTTP_BEHIND_TLS,
    proxies: settings.HTTP_PROXIES,
    authenticate: createAuthenticator({ database }),
    extra: [obtainToken({ database, log, allowIntrospection: settings.GRAPHQL_INTROSPECTION })],
  });
  const answer = app.callback();
  let lastRequestAt = Number.NEGATIVE_INFINITY;
  let requestsUnderWay = 0;
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    lastRequestAt = performance.now();
    requestsUnderWay += 1;
    response.once('close', () => { requestsUnderWay -= 1; });
    // Clients that keep their connection are told to leave it, else the last of them would hold up the stop.
    if (draining) response.setHeader('connection', 'close');
    void answer(request, response);
  });
  const isInUse = () => requestsUnderWay > 0 || performance.now() - lastRequestAt < RECENTLY_MS;
  server.on('clientError', answerMalformed);
  const url = await listen(server, settings);
  return {
    url,
    stop: async () => {
      draining = true;
      const drainMs = isInUse() ? Math.min(settings.SHUTDOWN_DRAIN_MS, settings.SHUTDOWN_GRACE_MS) : 0;
      await sleep(Math.min(drainMs, DRAIN_NOTICE_MS));
      // Not the server's own `close`, which cuts idle connections at once, and with them a request that is on the way.
      const closed = new Promise((resolve) => { NetServer.prototype.close.call(server, resolve); });
      await Promise.race([closed, sleep(Math.max(0, drainMs - DRAIN_NOTICE_MS))]);
      server.closeIdleConnections();
      await Promise.race([closed, new Promise((resolve) => { setTimeout(resolve, settings.SHUTDOWN_GRACE_MS - drainMs).unref(); })]);
      server.closeAllConnections();
      await lists.close();
      await database.close();
    },
  };
}

/** What creation needs besides the database; the same in the interface (dry run) and in the worker. */
export function creationContext(deps: { suppliers: ReturnType<typeof createSupplierDirectory>; clock: Clock; settings: Pick<Settings, 'SWITCH_LEAD_TIME_DAYS'> }): CreationContext {
  return { currentRules: rulesVersion, revalidate: revalidateStaged(deps), switchLeadDays: deps.settings.SWITCH_LEAD_TIME_DAYS };
}

/** Asks the stores that the settings name; nothing is opened before a supplier's documents are looked up. */
function documentCheck(settings: Settings): DocumentCheck {
  const s3 = createS3DocumentStore({
    endpoint: settings.DOCUMENT_STORE_ENDPOINT, region: settings.DOCUMENT_STORE_REGION, timeoutMs: settings.DOCUMENT_STORE_TIMEOUT_MS,
    accessKeyId: settings.DOCUMENT_STORE_ACCESS_KEY_ID, secretAccessKey: settings.DOCUMENT_STORE_SECRET_ACCESS_KEY,
  });
  return createDocumentCheck({ stores: { s3, folder: createFolderDocumentStore() }, deadlineMs: settings.DOCUMENT_STORE_DEADLINE_MS });
}

async function isReady(database: Database): Promise<boolean> {
  try {
    await database.run({ name: 'ready', text: 'select 1' }, []);
    return true;
  } catch {
    return false;
  }
}

function listen(server: Server, settings: Settings): Promise<string> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(settings.HTTP_PORT, settings.HTTP_HOST, () => {
      const { port } = server.address() as AddressInfo;
      resolve(`http://${settings.HTTP_HOST.includes(':') ? `[${settings.HTTP_HOST}]` : settings.HTTP_HOST}:${port}`);
    });
  });
}
