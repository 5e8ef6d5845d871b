import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  embeddedApplicationRole,
  startEmbeddedPostgres,
  type EmbeddedPostgres,
} from '../../src/local-stack/embedded-postgres.ts';
import { startEmbeddedTemporal, type EmbeddedTemporal } from '../../src/local-stack/embedded-temporal.ts';
import { waitUntilReady } from '../../src/local-stack/supervisor.ts';
import { endAllNow, startChild, type RunningProcess } from '../../src/local-stack/running-process.ts';
import { findTemporalCli } from '../../src/local-stack/temporal-cli.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { setRoleSettings } from '../../src/platform/database/session-settings.ts';
import { createLog } from '../../src/platform/log.ts';
import { readSettings } from '../../src/platform/settings.ts';
import { sqlFiles } from '../../src/processes/sql-files.ts';
import { simulatedParties } from '../../src/vendors/simulators.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';
import { processWith } from '../support/program-file.ts';
import { reservePort } from '../support/test-port.ts';
import { below, stopChild } from './measure.ts';
import { withClient } from './stage-set.ts';

const PROCESSES = join(import.meta.dirname, '../../src/processes');
const READY_WITHIN_MS = 60_000;
const ENDING = [
  { signal: 'SIGTERM', waitMs: 20_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;

// The servers end with the bench, however it ends.
process.on('exit', endAllNow);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => process.exit(1));

export type Part = 'api' | 'worker' | 'temporal' | 'postgres';

/** Any number of API and worker processes, with Postgres, Temporal and simulated parties on fresh data. */
export interface Stack {
  /** Addresses of the API processes. */
  apis: string[];
  /** Address of a proxy before them. */
  entrance?: string;
  /** Connects as the role that owns the tables. */
  database: string;
  /** The current processes of each part. */
  pids(): Record<Part | 'proxies', number[]>;
  /** Starts or ends processes until there is this number of each. */
  resize(count: number): Promise<void>;
  stop(): Promise<void>;
}

/** A stack with Temporal's development server. */
export interface DevelopmentStack extends Stack {
  temporal: string;
  /** Address of the Temporal server's metrics. */
  temporalMetrics: string;
  /** The SQLite database of the Temporal server. */
  temporalFile: string;
}

/**
 * Starts one API and one worker, and what they need.
 * @param settings of both, on top of the addresses
 * @param ofPostgres settings that Postgres reads at its start, such as a library
 */
export async function startStack(
  settings: Record<string, string> = {},
  ofPostgres: Record<string, string> = {},
): Promise<DevelopmentStack> {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-bench-'));
  await chmod(folder, 0o755);
  const postgres = await startPostgres(folder, ofPostgres);
  const temporal = await startTemporal(folder);
  await migrate(postgres.url, sqlFiles, embeddedApplicationRole);
  await setRoleSettings(postgres.applicationUrl);
  const simulators = await startSimulators();
  const environment = {
    ...process.env,
    NODE_ENV: 'production',
    DATABASE_URL: postgres.applicationUrl,
    TEMPORAL_ADDRESS: temporal.address,
  };
  const apis: BenchStack[] = [];
  const workers: BenchStack[] = [];
  const resize = async (count: number): Promise<void> => {
    for (const [list, program] of [
      [workers, 'worker'],
      [apis, 'api'],
    ] as const) {
      while (list.length < count) {
        list.push(await startOurs(program, environment, { ...simulators.settings, ...settings }));
      }
      while (list.length > count) await list.pop()?.running.stop();
    }
  };
  await resize(1);
  return {
    get apis() {
      return apis.map(({ url }) => url);
    },
    temporal: temporal.address,
    temporalMetrics: await metricsAddress(folder),
    temporalFile: join(folder, 'temporal.db'),
    database: postgres.url,
    pids: () => ({
      api: apis.map(({ running }) => running.pid),
      worker: workers.map(({ running }) => running.pid),
      temporal: [temporal.pid, ...below(temporal.pid)],
      postgres: [postgres.pid, ...below(postgres.pid)],
      proxies: [],
    }),
    resize,
    stop: async () => {
      await resize(0);
      await stopChild(simulators.child);
      await temporal.stop();
      await postgres.stop();
      await removeDataFolder(folder);
    },
  };
}

const portSettings = { api: 'HTTP_PORT', worker: 'WORKER_HEALTH_PORT', 'support-site': 'SUPPORT_SITE_PORT' } as const;

export interface BenchStack {
  running: RunningProcess;
  url: string;
}

/**
 * Starts an API or a worker as a separate process; resolves when it is ready.
 * @param environment DATABASE_URL, TEMPORAL_ADDRESS and anything else it needs, except its port
 * @param settings further settings and fixed values
 * @param port to listen on; a free one by default
 */
export async function startOurs(
  program: keyof typeof portSettings,
  environment: NodeJS.ProcessEnv,
  settings: Record<string, string> = {},
  port?: number,
): Promise<BenchStack> {
  const { file, environment: further } = await processWith(program, settings);
  const listenPort = String(port ?? (await reservePort()));
  const own = { [portSettings[program]]: listenPort };
  const running = await startChild(
    process.execPath,
    [file],
    { env: { ...environment, ...further, ...own }, stdio: ['ignore', 'ignore', 'inherit'] },
    ENDING,
  );
  const url = `http://127.0.0.1:${listenPort}`;
  const { whenExited } = running;
  await waitUntilReady(`${url}/healthz/ready`, { name: program, whenExited, withinMs: READY_WITHIN_MS });
  return { running, url };
}

/** Starts Postgres in a folder; `wanted`: settings that it reads at its start; `port`: a free one by default. */
export async function startPostgres(
  dataDir: string,
  wanted: Record<string, string>,
  port?: number,
): Promise<EmbeddedPostgres> {
  const log = createLog({ level: 'silent', process: 'bench' });
  const options = { dataDir, port: port ?? (await reservePort()), log };
  const first = await startEmbeddedPostgres(options);
  if (Object.keys(wanted).length === 0) return first;
  await withClient(first.url, async (client) => {
    for (const [name, value] of Object.entries(wanted)) {
      await client.query(`alter system set ${client.escapeIdentifier(name)} = ${client.escapeLiteral(value)}`);
    }
  });
  await first.stop();
  return startEmbeddedPostgres(options);
}

async function startTemporal(dataDir: string): Promise<EmbeddedTemporal> {
  const onProgress = (sentence: string) => process.stdout.write(`${sentence}\n`);
  const cliPath = await findTemporalCli({ settings: readSettings(), environment: process.env, onProgress });
  const log = createLog({ level: 'silent', process: 'bench' });
  const [port, uiPort] = [await reservePort(), await reservePort()];
  return startEmbeddedTemporal({ cliPath, dataDir, port, uiPort, namespace: 'default', log });
}

/** The server chooses a free port and prints it. */
async function metricsAddress(folder: string): Promise<string> {
  const address = /Temporal Metrics:\s+(\S+)/.exec(await readFile(join(folder, 'temporal.log'), 'utf8'))?.[1];
  if (address === undefined) throw new Error('the Temporal server does not print the address of its metrics');
  return address.replace('localhost', '127.0.0.1');
}

/** The parties that `npm start` simulates. */
export async function startSimulators(): Promise<{ child: ChildProcess; settings: Record<string, string> }> {
  const settings: Record<string, string> = {};
  const parties = simulatedParties.filter(({ address }) => address !== 'ENEDIS_DATA_CONNECT_URL');
  for (const { address, besides } of parties) {
    Object.assign(settings, besides, { [address]: `http://127.0.0.1:${await reservePort()}` });
  }
  const child = spawn(
    process.execPath,
    [join(PROCESSES, 'simulators.ts'), ...parties.map(({ address }) => `${address}=${settings[address]}`)],
    { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] },
  );
  await new Promise((resolve) => {
    child.once('message', resolve);
  });
  return { child, settings };
}
