import { accountNamedIn } from '../accounts/account-slots.queue.ts';
import { countAttempt, createAuthenticator, createTokenTries } from '../access/index.ts';
import { oauth } from '../access/tokens/oauth.route.ts';
import { obtainToken } from '../access/tokens/obtain-token.route.ts';
import { contractPages } from '../openapi/pages.ts';
import type { Database } from '../platform/database/database.ts';
import { databaseState } from '../platform/database/database-state.ts';
import { refuseUnfitSessions, ROLE_LIMITS } from '../platform/database/session-settings.ts';
import { watchClock } from '../platform/database/watch-clock.ts';
import { createApp, type AppOptions } from '../platform/http/app.ts';
import { createLargeBodyGate } from '../platform/http/large-body-gate.ts';
import { createEventLoopScheduler } from '../platform/http/event-loop-scheduler.ts';
import { healthRoutes } from '../platform/http/health.route.ts';
import { serveHttp } from '../platform/http/http-server.ts';
import type { Route } from '../platform/http/route.ts';
import { startNumberKeeper } from '../platform/numbers/keep-numbers.ts';
import { createIdempotencyQuota } from '../platform/idempotency/idempotency-key.store.ts';
import { followCertificateKeys } from '../reconciliation/index.ts';
import { readState } from './read-state.ts';
import { readBacklog } from '../stuck/index.ts';
import { temporalWorkRuns } from '../platform/temporal/start-run.ts';
import {
  createDocumentCheck,
  createRequestQuotas,
  shareRequestQuotas,
  createSupplierDirectory,
  type KnownSupplier,
  type SupplierDirectory,
} from '../suppliers/index.ts';
import { openDocumentStores } from '../vendors/document-store/open.ts';
import { mapMaybe } from '../foundation/maybe-promise.ts';
import { besideRoutes, buildRoutes } from './routes.ts';
import { creationContext } from './creation-context.ts';
import { openCreationQueue } from './open-creation-queue.ts';
import {
  openMeasuredDatabase,
  withDefaults,
  type OpenOptions,
  type ProcessOptions,
  type RunningServer,
} from './server-process.ts';

/** Starts the HTTP API. Works without Temporal, except requests that need a workflow, which are refused. */
export async function startApi(given: ProcessOptions): Promise<RunningServer> {
  const options = withDefaults(given);
  const { settings, secrets, gateway, log, clock, metrics } = options;
  const { database, lists } = await openDatabases(options);
  const suppliers = createSupplierDirectory({ database });
  const creations = openCreationQueue({ ...options, database });
  const numbers = startNumberKeeper({ database, gateway, log });
  const clockWatch = watchClock({ database, log });
  metrics.observe('numbers', numbers.areUnavailable);
  metrics.observeService('state', () => readState({ database, gateway, secrets }));
  const certificateKeys = followCertificateKeys(secrets.of('RECONCILIATION_KEY'));
  // Fails the start if the key is malformed.
  await certificateKeys();
  let isDraining = () => false;
  const health = healthRoutes({
    databaseState: () => databaseState(database),
    isTemporalReady: () => gateway.isReady(),
    areNumbersUnavailable: numbers.areUnavailable,
    clockState: clockWatch.state,
    isDraining: () => isDraining(),
  });
  const routes = buildRoutes({
    ...options,
    ...creations,
    database,
    lists,
    suppliers,
    documents: createDocumentCheck({
      stores: openDocumentStores(settings, secrets),
      deadlineMs: settings.DOCUMENT_STORE_DEADLINE_MS,
    }),
    creation: creationContext({ suppliers, clock, settings }),
    runs: temporalWorkRuns({ gateway, log }),
    certificateKeys,
  });
  const answer = openApp(options, { database, suppliers, routes: [...health, ...routes] });
  const server = await serveHttp((request, response) => void answer(request, response), settings, log);
  metrics.observe('connections', server.connections);
  isDraining = server.isDraining;
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await creations.close();
      await Promise.all([numbers.stop(), clockWatch.stop()]);
      await lists.close();
      await database.close();
    },
  };
}

/** Streamed lists hold their connection for long, so they have a separate pool. */
async function openDatabases(options: OpenOptions): Promise<{ database: Database; lists: Database }> {
  const { settings, metrics } = options;
  const open = (name: string, poolSize: number) =>
    openMeasuredDatabase(options, { name, poolSize, limits: ROLE_LIMITS });
  const database = await open('http', settings.HTTP_POOL_SIZE);
  await refuseUnfitSessions(database);
  metrics.observeService('backlog', () => readBacklog(database));
  return { database, lists: await open('lists', settings.LIST_POOL_SIZE) };
}

/** Creates the app with authentication, quotas and size limits. */
function openApp(
  { settings, log, metrics }: OpenOptions,
  { database, suppliers, routes }: { database: Database; suppliers: SupplierDirectory; routes: Route[] },
): ReturnType<ReturnType<typeof createApp>['callback']> {
  const authenticator = createAuthenticator({ database });
  const largeBodies = createLargeBodyGate({
    capacityBytes: settings.LARGE_BODIES_BYTES,
    waitsMs: settings.LARGE_BODY_WAIT_MS,
    arrivesMs: settings.LARGE_BODY_ARRIVAL_MS,
  });
  metrics.observe('largeBodies', largeBodies.state);
  const scheduler = createEventLoopScheduler();
  const tries = createTokenTries({ database, log, onIssued: authenticator.introduce });
  const access = { tries, log, largeBodies, scheduler };
  return createApp({
    routes,
    log,
    largeBodies,
    scheduler,
    pages: contractPages(routes, besideRoutes),
    onAnswered: metrics.requestAnswered,
    proxies: settings.HTTP_PROXIES,
    authenticate: authenticator.authenticate,
    useQuota: quotaOf(database, suppliers),
    keyedRequests: {
      database,
      quota: createIdempotencyQuota(database, {
        answers: settings.IDEMPOTENCY_ANSWERS_MAX,
        bytes: settings.IDEMPOTENCY_BYTES_MAX,
      }),
      claimSeconds: settings.IDEMPOTENCY_CLAIM_SECONDS,
      accountOf: accountNamedIn,
      onOutcome: metrics.keyedRequest,
    },
    extra: [
      obtainToken(access),
      oauth({ ...access, publicAddress: settings.API_URL, isBehindProxy: settings.HTTP_PROXIES > 0 }),
    ],
  }).callback();
}

/** Counts a request against all import suppliers of its key, because its own import supplier is known only after its body is read. */
function quotaOf(database: Database, suppliers: SupplierDirectory): NonNullable<AppOptions['useQuota']> {
  const useQuota = shareRequestQuotas(createRequestQuotas(), async (codes, requests) => {
    const names = codes.map((code) => JSON.stringify(['requests', code]));
    return (await countAttempt(database, names, requests)).map(({ count }) => count);
  });
  return ({ importSuppliers }) =>
    mapMaybe(suppliers.all(), (known) => {
      const suppliers: KnownSupplier[] = [];
      for (const code of importSuppliers) {
        const supplier = known.get(code);
        if (supplier !== undefined) suppliers.push(supplier);
      }
      return useQuota(suppliers);
    });
}
