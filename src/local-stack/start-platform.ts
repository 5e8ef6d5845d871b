import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ownMember } from '../foundation/table.ts';
import type { Settings } from '../platform/settings.ts';
import { openRunsAddress } from '../platform/temporal/web-ui.ts';
import { lockDataFolder } from './data-folder-lock.ts';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { endLeftTemporal, startEmbeddedTemporal } from './embedded-temporal.ts';
import { chooseFreePort } from './free-port.ts';
import {
  endLeftApi,
  platformPrograms,
  runToEnd,
  startApiChild,
  startSimulatorsChild,
  waitUntilReady,
} from './platform-child.ts';
import {
  childEnvironment,
  reachableHost,
  READY_WITHIN_MS,
  reportOtherPort,
  type Starting,
  type StartUpOptions,
} from './starting.ts';
import { supervise } from './supervisor.ts';
import { startSupportSite } from './support-site-child.ts';
import { makeDataFolder } from './make-data-folder.ts';
import { findTemporalCli } from './temporal-cli.ts';

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
  database: string;
  operatorKeyFile: string;
  /** Names of the simulated outside parties. */
  simulated: string[];
  /** Stops everything in order (API and worker, Temporal, Postgres) and releases the data folder. */
  stop(): Promise<void>;
}

/**
 * Starts all of gangway on this machine: Postgres and Temporal unless settings refer to servers, migrations, API and worker, and a first
 * operator key. Reuses or stops processes that a killed start left running. A child that dies is restarted on the same ports.
 * @throws DataFolderUnusable; DataFolderInUse if another process uses the folder; Error with a message for users if a part does not start,
 * after all other parts were stopped
 */
export async function startUp(options: StartUpOptions): Promise<Platform> {
  const dataDir = await makeDataFolder(options.dataDir);
  const lock = await lockDataFolder(dataDir);
  const starting: Starting = {
    ...options,
    dataDir,
    programs: options.programs ?? platformPrograms,
    stops: [{ name: 'data folder', stop: () => lock.release() }],
    print: options.quiet ? () => undefined : (sentence) => void process.stdout.write(`${sentence}\n`),
  };
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
  const { dataDir, log, signal, programs } = starting;
  const upFile = join(dataDir, 'up.json');
  await rm(upFile, { force: true });
  await endLeftApi(dataDir, log);

  starting.print('Starting Postgres ...');
  const database = await startDatabase(starting);
  starting.print('Starting Temporal ...');
  const temporal = await startTemporal(starting);
  const simulated = await startSimulators(starting);
  const settings: Settings = {
    ...starting.settings,
    ...simulated.settings,
    DATABASE_URL: database.url,
    TEMPORAL_ADDRESS: temporal.address,
  };
  signal?.throwIfAborted();
  starting.print('Migrating the database ...');
  await runToEnd(
    programs.migrate,
    [],
    childEnvironment(starting, { ...settings, MIGRATE_DATABASE_URL: database.ownerUrl }),
    signal,
  );
  const { MIGRATE_DATABASE_URL: _owner, ...migrated } = settings;
  const ofService = { ...migrated, ...(await ownKeys(starting)) };
  starting.print('Starting the API, the worker and the support site ...');
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
    database: database.url,
    operatorKeyFile,
    simulated: simulated.names,
  };
}

/** `url` uses the role of the service, `ownerUrl` the role that owns the tables. */
async function startDatabase(starting: Starting): Promise<{ url: string; ownerUrl: string | undefined }> {
  const { settings, dataDir, log, signal } = starting;
  if (settings.DATABASE_URL) return { url: settings.DATABASE_URL, ownerUrl: settings.MIGRATE_DATABASE_URL };
  let port = await chooseFreePort(settings.POSTGRES_PORT);
  const postgres = await supervise({
    name: 'postgres',
    log,
    start: async (stopping) => {
      const started = await startEmbeddedPostgres({ dataDir, port, log, signal: either(signal, stopping) });
      port = started.port; // A reused server keeps its port, also after a restart.
      return started;
    },
  });
  starting.stops.push({ name: 'postgres', stop: () => postgres.stop() });
  reportOtherPort(starting, 'Postgres', settings.POSTGRES_PORT, port);
  const { applicationUrl, url: ownerUrl } = postgres.current();
  return { url: applicationUrl, ownerUrl };
}

async function startTemporal(starting: Starting): Promise<{ address: string; uiUrl: string | null }> {
  const { settings, dataDir, log, signal, print, environment } = starting;
  if (settings.TEMPORAL_ADDRESS) return { address: settings.TEMPORAL_ADDRESS, uiUrl: null };
  // Before choosing ports, because left-over processes hold theirs.
  await endLeftTemporal(dataDir, log);
  const cliPath = await findTemporalCli({ settings, environment, onProgress: print, signal });
  const port = await chooseFreePort(settings.TEMPORAL_PORT);
  const uiPort = await chooseFreePort(settings.TEMPORAL_UI_PORT);
  const temporal = await supervise({
    name: 'temporal',
    log,
    start: (stopping) =>
      startEmbeddedTemporal({
        cliPath,
        dataDir,
        port,
        uiPort,
        namespace: settings.TEMPORAL_NAMESPACE,
        log,
        signal: either(signal, stopping),
      }),
  });
  starting.stops.push({ name: 'temporal', stop: () => temporal.stop() });
  reportOtherPort(starting, 'Temporal', settings.TEMPORAL_PORT, port);
  reportOtherPort(starting, "Temporal's web UI", settings.TEMPORAL_UI_PORT, uiPort);
  return temporal.current();
}

/** Simulates each party without an address in the settings, on a port that stays the same if the child restarts. */
async function startSimulators(starting: Starting): Promise<{ names: string[]; settings: Partial<Settings> }> {
  const { settings: given, dataDir, log, programs, parties = [] } = starting;
  const settings: Record<string, unknown> = {};
  const missing: (typeof parties)[number][] = [];
  for (const party of parties) {
    const { address, besides, alternative } = party;
    const isGiven = (name: string) => (ownMember(given, name) ?? ownMember(settings, name)) !== undefined;
    if (isGiven(address) || (alternative !== undefined && isGiven(alternative))) continue;
    missing.push(party);
    const unset = Object.entries(besides).filter(([name]) => ownMember(given, name) === undefined);
    Object.assign(settings, Object.fromEntries(unset), { [address]: `http://127.0.0.1:${await chooseFreePort(0)}` });
  }
  if (missing.length === 0) return { names: [], settings: {} };
  const addresses = missing.map(({ address }) => `${address}=${settings[address]}`);
  const environment = childEnvironment(starting, given);
  const child = await supervise({
    name: 'simulators',
    log,
    start: () => startSimulatorsChild({ program: programs.simulators, dataDir, environment, addresses }),
  });
  starting.stops.push({ name: 'simulators', stop: () => child.stop() });
  return { names: missing.map(({ name }) => name), settings };
}

async function startApi(starting: Starting, settings: Settings): Promise<string> {
  const { dataDir, log, signal, programs } = starting;
  const port = await chooseFreePort(settings.HTTP_PORT, settings.HTTP_HOST);
  reportOtherPort(starting, 'The API', settings.HTTP_PORT, port);
  const environment = childEnvironment(starting, { ...settings, HTTP_PORT: port });
  const child = await supervise({
    name: 'api-with-worker',
    log,
    start: () =>
      startApiChild({ program: programs.apiWithWorker, dataDir, environment, graceMs: settings.SHUTDOWN_GRACE_MS }),
  });
  starting.stops.push({ name: 'api-with-worker', stop: () => child.stop() });
  const http = `http://${reachableHost(settings.HTTP_HOST)}:${port}`;
  // A child that dies before it is ready is reported, not restarted.
  await waitUntilReady(`${http}/healthz/ready`, {
    whenExited: child.current().whenExited,
    name: 'API',
    withinMs: READY_WITHIN_MS,
    signal,
  });
  return http;
}

/** Created on the first start and kept, because signatures and hashes are useless without their keys. */
async function ownKeys({
  settings,
  dataDir,
}: Starting): Promise<{ RECONCILIATION_KEY: string; FIELD_HASH_KEY: string }> {
  const keyIn = async (name: string, make: () => string): Promise<string> => {
    const path = join(dataDir, name);
    const known = await readFile(path, 'utf8').catch(() => '');
    if (known !== '') return known;
    const made = make();
    await writePrivate(path, made);
    return made;
  };
  const makePair = () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  return {
    RECONCILIATION_KEY: settings.RECONCILIATION_KEY ?? (await keyIn('reconciliation-key.pem', makePair)),
    FIELD_HASH_KEY:
      settings.FIELD_HASH_KEY ?? (await keyIn('field-hash-key', () => randomBytes(32).toString('base64'))),
  };
}

async function firstOperatorKey(starting: Starting, settings: Settings): Promise<string> {
  const { dataDir, programs, signal } = starting;
  const path = join(dataDir, 'operator-key');
  if (await readFile(path, 'utf8').catch(() => '')) return path;
  const args = ['key', 'create', '--role', 'operator', '--organisation', 'gangway', '--name', 'up', '--json'];
  const made = await runToEnd(programs.cli, args, childEnvironment(starting, settings), signal);
  await writePrivate(path, `${(JSON.parse(made) as { api_key: string }).api_key}\n`);
  return path;
}

/** Writes to a temporary name and renames it, so that readers never see partial content. The file contains a secret. */
async function writePrivate(path: string, content: string): Promise<void> {
  const unfinished = `${path}.${process.pid}`;
  await writeFile(unfinished, content, { mode: 0o600 });
  await rename(unfinished, path);
}

async function stopAll({ stops, log }: Starting): Promise<void> {
  for (const { name, stop } of stops.toReversed()) {
    await stop().catch((error: unknown) => log.error({ err: error, part: name }, `${name} did not stop cleanly`));
  }
}

function either(first: AbortSignal | undefined, second: AbortSignal): AbortSignal {
  return first ? AbortSignal.any([first, second]) : second;
}
