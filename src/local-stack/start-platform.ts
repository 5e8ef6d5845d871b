import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownMember } from '../foundation/table.ts';
import type { Log } from '../platform/log.ts';
import type { Settings } from '../platform/settings.ts';
import { openRunsAddress } from '../platform/temporal/web-ui.ts';
import { simulatedParties, type SimulatedParty } from '../vendors/simulators.ts';
import { endLeftPostgres, startEmbeddedPostgres } from './embedded-postgres.ts';
import { endLeftTemporal, startEmbeddedTemporal } from './embedded-temporal.ts';
import { lockDataFolder, makeDataFolder, keptSecret, writePrivate } from './data-folder.ts';
import { endLeftServers, runToEnd, startServerChild, waitUntilReady, supervise } from './supervisor.ts';
import { findTemporalCli } from './temporal-cli.ts';
import { createServer } from 'node:net';

/** Timeout for a child to become ready. */
const READY_WITHIN_MS = 180_000;

interface StartUpOptions {
  settings: Settings;
  log: Log;
  /** Folder of all data on this machine; used by one process at a time. */
  dataDir: string;
  /** Environment of this process; the children inherit it, overridden by the settings. */
  environment: NodeJS.ProcessEnv;
  /** Aborts the start; started parts are stopped. */
  signal: AbortSignal;
}

/** State of a start. */
interface Starting extends StartUpOptions {
  /** Functions that stop the started parts, in the order of their start; called in reverse order. */
  stops: { name: string; stop: () => Promise<void> }[];
}

export interface Platform {
  /** Address of the API. */
  http: string;
  /** Address of the support site. */
  supportSite: string;
  /** Host and port of Temporal. */
  temporal: string;
  /** Address of Temporal's web UI; null if TEMPORAL_ADDRESS refers to another server. */
  temporalUi: string | null;
  /** Address of our open runs in the web UI. */
  openRuns: string | null;
  operatorKeyFile: string;
  /** Names of the simulated outside parties. */
  simulated: string[];
  /** Stops everything in order (API and worker, Temporal, Postgres) and releases the data folder. */
  stop(): Promise<void>;
}

/**
 * Starts all of gangway on this machine: Postgres and Temporal unless settings refer to servers, simulators of outside parties without an
 * address, migrations, API and worker, and a first operator key. Stops processes that a killed start left running. A child that dies is
 * restarted on the same ports.
 * @throws DataFolderUnusable; DataFolderInUse if another process uses the folder; Error with a message for users if a part does not start,
 * after all other parts were stopped
 */
export async function startUp(options: StartUpOptions): Promise<Platform> {
  const dataDir = await makeDataFolder(options.dataDir);
  const lock = await lockDataFolder(dataDir);
  const starting = { ...options, dataDir, stops: [{ name: 'data folder', stop: () => lock.release() }] };
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= stopAll(starting));
  try {
    return { ...(await startParts(starting)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startParts(starting: Starting): Promise<Omit<Platform, 'stop'>> {
  const { dataDir, log, signal } = starting;
  const upFile = join(dataDir, 'up.json');
  await rm(upFile, { force: true });
  await endLeftServers(dataDir, log);

  print('Starting Postgres ...');
  const database = await startDatabase(starting);
  print('Starting Temporal ...');
  const temporal = await startTemporal(starting);
  const simulated = await startSimulators(starting);
  const settings: Settings = {
    ...starting.settings,
    ...simulated.settings,
    DATABASE_URL: database.url,
    MIGRATE_DATABASE_URL: undefined,
    TEMPORAL_ADDRESS: temporal.address,
  };
  signal.throwIfAborted();
  print('Migrating the database ...');
  const asOwner = { ...settings, MIGRATE_DATABASE_URL: database.ownerUrl };
  await runToEnd('processes/migrate', [], childEnvironment(starting, asOwner), signal);
  const ofService = { ...settings, ...(await ownKeys(starting)) };
  print('Starting the API, the worker and the support site ...');
  const http = await startApi(starting, ofService);
  const supportSite = await startSupportSite(starting, ofService, { api: http, webUi: temporal.uiUrl });
  const operatorKeyFile = await firstOperatorKey(starting, settings);

  const addresses = {
    http,
    support_site: supportSite,
    temporal: temporal.address,
    temporal_ui: temporal.uiUrl,
    database: database.url,
    operator_key_file: operatorKeyFile,
  };
  starting.stops.push({ name: 'up.json', stop: () => rm(upFile, { force: true }) });
  await writePrivate(upFile, `${JSON.stringify({ ...addresses, pid: process.pid }, null, 2)}\n`);
  return {
    http,
    supportSite,
    temporal: temporal.address,
    temporalUi: temporal.uiUrl,
    openRuns: temporal.uiUrl && openRunsAddress(temporal.uiUrl, settings.TEMPORAL_NAMESPACE),
    operatorKeyFile,
    simulated: simulated.names,
  };
}

/** `url` uses the role of the service, `ownerUrl` the role that owns the tables. */
async function startDatabase(starting: Starting): Promise<{ url: string; ownerUrl: string | undefined }> {
  const { settings, dataDir, log, signal } = starting;
  if (settings.DATABASE_URL) return { url: settings.DATABASE_URL, ownerUrl: settings.MIGRATE_DATABASE_URL };
  // Before choosing ports, because left-over processes hold theirs.
  await endLeftPostgres(dataDir, log);
  const port = await chooseFreePort(settings.POSTGRES_PORT);
  const postgres = await supervise({
    name: 'postgres',
    log,
    start: (stopping) => startEmbeddedPostgres({ dataDir, port, log, signal: AbortSignal.any([signal, stopping]) }),
  });
  starting.stops.push({ name: 'postgres', stop: () => postgres.stop() });
  reportOtherPort('Postgres', settings.POSTGRES_PORT, port);
  const { applicationUrl, url: ownerUrl } = postgres.current();
  return { url: applicationUrl, ownerUrl };
}

async function startTemporal(starting: Starting): Promise<{ address: string; uiUrl: string | null }> {
  const { settings, dataDir, environment, log, signal } = starting;
  if (settings.TEMPORAL_ADDRESS) return { address: settings.TEMPORAL_ADDRESS, uiUrl: null };
  await endLeftTemporal(dataDir, log);
  const cliPath = await findTemporalCli({ settings, environment, onProgress: print, signal });
  const port = await chooseFreePort(settings.TEMPORAL_PORT);
  const uiPort = await chooseFreePort(settings.TEMPORAL_UI_PORT);
  const namespace = settings.TEMPORAL_NAMESPACE;
  const temporal = await supervise({
    name: 'temporal',
    log,
    start: (stopping) =>
      startEmbeddedTemporal({
        ...{ cliPath, dataDir, port, uiPort, namespace, log },
        signal: AbortSignal.any([signal, stopping]),
      }),
  });
  starting.stops.push({ name: 'temporal', stop: () => temporal.stop() });
  reportOtherPort('Temporal', settings.TEMPORAL_PORT, port);
  reportOtherPort("Temporal's web UI", settings.TEMPORAL_UI_PORT, uiPort);
  return temporal.current();
}

/** Simulates each party without an address in the settings, in this process. */
async function startSimulators({
  settings: given,
  dataDir,
  stops,
}: Starting): Promise<{ names: string[]; settings: Partial<Settings> }> {
  const settings: Partial<Settings> = {};
  const names: string[] = [];
  const isGiven = (name: string) => (ownMember(given, name) ?? ownMember(settings, name)) !== undefined;
  const isUsed = ({ address, alternative }: SimulatedParty) =>
    isGiven(address) || (alternative !== undefined && isGiven(alternative));
  for (const party of simulatedParties) {
    if (isUsed(party)) continue;
    const { name, address, besides } = party;
    const simulator = await party.start({ host: '127.0.0.1', port: 0, dataDir });
    stops.push({ name, stop: () => simulator.stop() });
    names.push(name);
    const unset = Object.entries(besides).filter(([besideName]) => ownMember(given, besideName) === undefined);
    Object.assign(settings, Object.fromEntries(unset), { [address]: simulator.url });
  }
  return { names, settings };
}

function startApi(starting: Starting, settings: Settings): Promise<string> {
  return startServer(starting, {
    name: 'api-with-worker',
    title: 'API',
    host: settings.HTTP_HOST,
    wantedPort: settings.HTTP_PORT,
    environment: (port) => childEnvironment(starting, { ...settings, HTTP_PORT: port }),
  });
}

/** Ports used by other children on this machine. */
const OF_OTHERS = { METRICS_PORT: '', TEMPORAL_METRICS_PORT: '', WORKER_HEALTH_PORT: '' };

/**
 * Starts the support site beside the API. People sign in with the operator key unless an OpenID provider is configured.
 * @param beside addresses of the API and of Temporal's web UI, for links
 */
function startSupportSite(
  starting: Starting,
  settings: Settings,
  beside: { api: string; webUi: string | null },
): Promise<string> {
  const ofSite = {
    ...settings,
    SUPPORT_SITE_KEY_SIGN_IN: settings.SUPPORT_SITE_KEY_SIGN_IN || settings.OIDC_ISSUER === undefined,
    TEMPORAL_UI_URL: settings.TEMPORAL_UI_URL ?? beside.webUi ?? undefined,
    API_URL: settings.API_URL ?? beside.api,
  };
  return startServer(starting, {
    name: 'support-site',
    title: 'support site',
    host: settings.HTTP_HOST,
    wantedPort: settings.SUPPORT_SITE_PORT,
    environment: (port) => ({ ...childEnvironment(starting, { ...ofSite, SUPPORT_SITE_PORT: port }), ...OF_OTHERS }),
  });
}

/** Starts one of our servers and waits until it is ready. @returns its address */
async function startServer(
  starting: Starting,
  server: {
    name: string;
    title: string;
    host: string;
    wantedPort: number;
    environment: (port: number) => NodeJS.ProcessEnv;
  },
): Promise<string> {
  const { dataDir, log, signal, stops, settings } = starting;
  const { name, title, host, wantedPort } = server;
  const port = await chooseFreePort(wantedPort, host);
  reportOtherPort(`The ${title}`, wantedPort, port);
  const environment = server.environment(port);
  const child = await supervise({
    name,
    log,
    start: () => startServerChild(name, dataDir, environment, settings.SHUTDOWN_GRACE_MS),
  });
  stops.push({ name, stop: () => child.stop() });
  const url = `http://${reachableHost(host)}:${port}`;
  // A child that dies before it is ready is reported, not restarted.
  const { whenExited } = child.current();
  await waitUntilReady(`${url}/healthz/ready`, { name: title, whenExited, withinMs: READY_WITHIN_MS, signal });
  return url;
}

/** Signatures and hashes are useless without their keys. */
async function ownKeys({
  settings,
  dataDir,
}: Starting): Promise<{ RECONCILIATION_KEY: string; FIELD_HASH_KEY: string }> {
  const makePair = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const makeKey = () => randomBytes(32).toString('base64');
  return {
    RECONCILIATION_KEY:
      settings.RECONCILIATION_KEY ?? (await keptSecret(join(dataDir, 'reconciliation-key.pem'), makePair)),
    FIELD_HASH_KEY: settings.FIELD_HASH_KEY ?? (await keptSecret(join(dataDir, 'field-hash-key'), makeKey)),
  };
}

async function firstOperatorKey(starting: Starting, settings: Settings): Promise<string> {
  const path = join(starting.dataDir, 'operator-key');
  if (await readFile(path, 'utf8').catch(() => '')) return path;
  const args = ['key', 'create', '--role', 'operator', '--organisation', 'gangway', '--name', 'up'];
  const made = await runToEnd('cli/main', args, childEnvironment(starting, settings), starting.signal);
  await writePrivate(path, made);
  return path;
}

/** Passes all settings on, because the caller may have changed them. */
function childEnvironment({ environment: inherited, dataDir }: Starting, settings: Settings): NodeJS.ProcessEnv {
  const given = Object.entries({ ...settings, DATA_DIR: dataDir }).filter(([, value]) => value !== undefined);
  const { MIGRATE_DATABASE_URL: _ownersOnly, MIGRATE_DATABASE_URL_FILE: _inFile, ...environment } = inherited;
  return { ...environment, ...Object.fromEntries(given.map(([name, value]) => [name, String(value)])) };
}

function print(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}

/** For 0 any free port is expected, so the choice is not reported. */
function reportOtherPort(who: string, wanted: number, port: number): void {
  if (wanted !== 0 && wanted !== port) print(`${who} listens on port ${port}; ${wanted} could not be had.`);
}

function reachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

async function stopAll({ stops, log }: Starting): Promise<void> {
  for (const { name, stop } of stops.toReversed()) {
    await stop().catch((error: unknown) => log.error({ err: error, part: name }, `${name} did not stop cleanly`));
  }
}

/**
 * Chooses a port: the wanted one, or a free one if it is in use or 0. The port is free at this moment, so the caller should listen on it
 * soon.
 * @param host address to listen on
 * @throws the system error if the address cannot be used (EACCES for a privileged port, EADDRNOTAVAIL)
 */
export async function chooseFreePort(wanted: number, host = '127.0.0.1'): Promise<number> {
  try {
    return await tryToListen(wanted, host);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    return tryToListen(0, host);
  }
}

function tryToListen(port: number, host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ port, host, exclusive: true }, () => {
      const { port: free } = server.address() as { port: number };
      server.close(() => resolve(free));
    });
  });
}
