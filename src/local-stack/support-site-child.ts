import type { Settings } from '../platform/settings.ts';
import { chooseFreePort } from './free-port.ts';
import { startApiChild, waitUntilReady } from './platform-child.ts';
import { childEnvironment, reachableHost, READY_WITHIN_MS, reportOtherPort, type Starting } from './starting.ts';
import { supervise } from './supervisor.ts';

/** Ports used by other children on this machine. */
const OF_OTHERS = { METRICS_PORT: '', TEMPORAL_METRICS_PORT: '', WORKER_HEALTH_PORT: '' };

/**
 * Starts the support site beside the API. People sign in with the operator key unless an OpenID provider is configured.
 * @param beside addresses of the API and of Temporal's web UI, for links
 * @returns its address
 */
export async function startSupportSite(
  starting: Starting,
  settings: Settings,
  beside: { api: string; webUi: string | null },
): Promise<string> {
  const { dataDir, log, signal, programs } = starting;
  const host = settings.SUPPORT_SITE_HOST;
  const port = await chooseFreePort(settings.SUPPORT_SITE_PORT, host);
  reportOtherPort(starting, 'The support site', settings.SUPPORT_SITE_PORT, port);
  const ofSite = {
    ...settings,
    SUPPORT_SITE_PORT: port,
    SUPPORT_SITE_KEY_SIGN_IN: settings.SUPPORT_SITE_KEY_SIGN_IN || settings.OIDC_ISSUER === undefined,
    TEMPORAL_UI_URL: settings.TEMPORAL_UI_URL ?? beside.webUi ?? undefined,
    API_URL: settings.API_URL ?? beside.api,
  };
  const environment = { ...childEnvironment(starting, ofSite), ...OF_OTHERS };
  const child = await supervise({
    name: 'support-site',
    log,
    start: () =>
      startApiChild({ program: programs.supportSite, dataDir, environment, graceMs: settings.SHUTDOWN_GRACE_MS }),
  });
  starting.stops.push({ name: 'support-site', stop: () => child.stop() });
  const url = `http://${reachableHost(host)}:${port}`;
  const { whenExited } = child.current();
  await waitUntilReady(`${url}/healthz/ready`, { name: 'support site', whenExited, withinMs: READY_WITHIN_MS, signal });
  return url;
}
