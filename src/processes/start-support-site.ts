import { databaseState } from '../platform/database/database-state.ts';
import { refuseUnfitSessions } from '../platform/database/session-settings.ts';
import { serveHttp } from '../platform/http/http-server.ts';
import { runAddress } from '../platform/temporal/web-ui.ts';
import { followCertificateKeys } from '../reconciliation/index.ts';
import { createOverview } from '../overview/index.ts';
import { createStuckWork } from '../stuck/index.ts';
import { temporalWorkRuns } from '../platform/temporal/start-run.ts';
import { createSite, type SiteDeps } from '../support-site/index.ts';
import { createSupplierDirectory } from '../suppliers/index.ts';
import { openMeasuredDatabase, withDefaults, type ProcessOptions, type RunningServer } from './server-process.ts';

/** Time limits of statements of pages. */
const LIMITS = { statement_timeout: 5_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 15_000 };
/** Connections for downloads and long counts, whose statements may take as long as those of the API. */
const LISTS = 2;
const LIST_LIMITS = { ...LIMITS, statement_timeout: 10_000 };

/** Starts the support site. Works without Temporal; pages that need it report this. */
export async function startSupportSite(given: ProcessOptions): Promise<RunningServer> {
  const options = withDefaults(given);
  const { settings, secrets, gateway, log, clock } = options;
  const open = (name: string, poolSize: number, limits: typeof LIMITS) =>
    openMeasuredDatabase(options, { name, poolSize, limits });
  const database = await open('support-site', settings.SUPPORT_SITE_POOL_SIZE, LIMITS);
  await refuseUnfitSessions(database);
  const lists = await open('support-site-lists', LISTS, LIST_LIMITS);
  const webUi = settings.TEMPORAL_UI_URL?.replace(/\/$/, '');
  const api = settings.API_URL?.replace(/\/$/, '');
  const certificateKeys = followCertificateKeys(secrets.of('RECONCILIATION_KEY'));
  // Fails the start if the key is malformed.
  await certificateKeys();
  const stuck = createStuckWork({ database, gateway });
  const deps: SiteDeps = {
    settings,
    clock,
    database,
    lists,
    gateway,
    runs: temporalWorkRuns({ gateway, log }),
    log,
    stuck,
    overview: createOverview({ database, gateway, stuck, clock, log }),
    suppliers: createSupplierDirectory({ database }),
    certificateKeys,
    runAddress: (workflowId) => webUi && runAddress(webUi, settings.TEMPORAL_NAMESPACE, workflowId),
    apiAddress: (path) => api && api + path,
  };
  const isReady = async () => (await databaseState(database)) === 'ok';
  const answer = createSite({ deps, secrets, isReady }).callback();
  const address = { ...settings, HTTP_PORT: settings.SUPPORT_SITE_PORT };
  const server = await serveHttp((request, response) => void answer(request, response), address, log);
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await lists.close();
      await database.close();
    },
  };
}
