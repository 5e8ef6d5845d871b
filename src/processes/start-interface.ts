import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAuthenticator } from '../access/index.ts';
import { obtainToken } from '../access/obtain-token.route.ts';
import { temporalCreationRuns } from '../accounts/create-account.client.ts';
import { createCreationQueue } from '../accounts/create-account.queue.ts';
import { revalidateStaged, rulesVersion } from '../accounts/check-account-payload.validation.ts';
import type { CreationContext } from '../accounts/create-account.store.ts';
import { systemClock, type Clock } from '../platform/clock.ts';
import { openDatabase, type Database } from '../platform/database/database.ts';
import { createApp } from '../platform/http/app.ts';
import { healthRoutes } from '../platform/http/health.route.ts';
import { buildRoutes } from '../platform/http/routes.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings.ts';
import type { TemporalGateway } from '../platform/temporal/temporal-gateway.ts';
import { createSupplierDirectory } from '../suppliers/index.ts';

export interface RunningInterface {
  url: string;
  /** Stops accepting, lets requests under way end, then closes what was opened here. */
  stop(): Promise<void>;
}

export interface InterfaceOptions {
  settings: Settings & { DATABASE_URL: string };
  gateway: TemporalGateway;
  log: Log;
  clock?: Clock;
}

/** Longest that a request of the interface may work or wait in the database. */
const SESSION = { statement_timeout: 10_000, lock_timeout: 5_000, idle_in_transaction_session_timeout: 15_000 };

/** Starts the HTTP interface. It comes up without Temporal; only what needs a workflow is refused then. */
export async function startInterface({ settings, gateway, log, clock = systemClock }: InterfaceOptions): Promise<RunningInterface> {
  const database = await openDatabase({ url: settings.DATABASE_URL, poolSize: settings.HTTP_POOL_SIZE, log, applicationName: 'gangway-http', sessionSettings: SESSION });
  const lists = await openDatabase({ url: settings.DATABASE_URL, poolSize: settings.LIST_POOL_SIZE, log, applicationName: 'gangway-lists', sessionSettings: SESSION });
  const suppliers = createSupplierDirectory({ database });
  const creation = creationContext({ suppliers, clock });
  const queue = createCreationQueue(temporalCreationRuns(gateway, settings.CREATION_START_DEADLINE_MS), {
    runsInFlight: settings.CREATION_RUNS_IN_FLIGHT, batchSize: settings.CREATION_BATCH_SIZE, runsOpenMax: settings.CREATION_RUNS_OPEN_MAX,
    requestsWaitingMax: settings.CREATION_REQUESTS_WAITING_MAX, placeHeldMs: settings.CREATION_PLACE_HELD_MS, patienceMs: settings.CREATION_PATIENCE_MS,
  });
  let draining = false;
  const health = healthRoutes({ isDatabaseReady: () => isReady(database), isTemporalReady: () => gateway.isReady(), isDraining: () => draining });
  const app = createApp({
    routes: [...health, ...buildRoutes({ settings, clock, database, lists, suppliers, creation, queue })],
    log,
    authenticate: createAuthenticator({ database }),
    extra: [obtainToken({ database, log, allowIntrospection: settings.GRAPHQL_INTROSPECTION })],
  });
  const server = createServer(app.callback());
  const url = await listen(server, settings);
  return {
    url,
    stop: async () => {
      draining = true;
      const closed = new Promise((resolve) => { server.close(resolve); });
      server.closeIdleConnections();
      await Promise.race([closed, new Promise((resolve) => { setTimeout(resolve, settings.SHUTDOWN_GRACE_MS).unref(); })]);
      server.closeAllConnections();
      await lists.close();
      await database.close();
    },
  };
}

/** What creation needs besides the database; the same in the interface (dry run) and in the worker. */
export function creationContext(deps: { suppliers: ReturnType<typeof createSupplierDirectory>; clock: Clock }): CreationContext {
  return { currentRules: rulesVersion, revalidate: revalidateStaged(deps) };
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
