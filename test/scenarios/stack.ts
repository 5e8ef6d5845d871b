import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../src/local-stack/embedded-postgres.ts';
import { startEmbeddedTemporal } from '../../src/local-stack/embedded-temporal.ts';
import { childEnvironment } from '../support/child-environment.ts';
import { processWith } from '../support/program-file.ts';
import { makeDataFolder } from '../support/data-folder.ts';
import { issueToken } from '../support/issue-token.ts';
import { temporalSettings } from '../support/temporal-settings.ts';
import { reservePort } from '../support/test-port.ts';
import { waitUntilReady } from '../../src/local-stack/supervisor.ts';
import { startChild, type RunningProcess } from '../../src/local-stack/running-process.ts';
import { createLog } from '../../src/platform/log.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';
import { putCluster } from './cluster-template.ts';

/** Immediately, as the data is not needed. A test of a graceful stop sends the signal itself. */
const ENDING = [{ signal: 'SIGKILL', waitMs: 5_000 }] as const;

/** For tests in which the workers do not matter: the workflow thread takes 0.4 s of processor time to start. */
export const withoutThread = { TEMPORAL_DEBUG: '1' };

export type Part = 'postgres' | 'temporal' | 'worker' | 'api';

/** API, worker, Postgres and Temporal as separate processes, to be killed and restarted on the same ports. */
export interface Stack {
  url: string;
  folder: string;
  /** Token of a supplier key for SUPPLIER_FR. */
  token: string;
  temporalAddress: string;
  /** Reads the database past the service; only while Postgres runs. */
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<Row[]>;
  process(part: Part): RunningProcess;
  /** Kills a part (SIGKILL) and waits until it is gone. */
  kill(part: Part): Promise<void>;
  /** Sends SIGTERM; resolves to the exit code. */
  terminate(part: Part): Promise<number | null>;
  /** Starts one more API or worker with other settings; it ends with the stack. */
  startMore(part: 'worker' | 'api', settings: Record<string, string>): Promise<RunningProcess>;
  /** Starts a killed part; resolves when it runs, possibly before it is ready. */
  start(part: Part): Promise<void>;
  /** Waits until the API reports that everything is up. */
  ready(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts all four; the first settings are for API and worker on top of the usual ones, the second ones for the API
 * alone. Both may change fixed values.
 */
export async function startStack(
  settings: Record<string, string> = {},
  ofApi: Record<string, string> = {},
): Promise<Stack> {
  const folder = await makeDataFolder('gangway-stack-');
  const ports = {
    postgres: await reservePort(),
    temporal: await reservePort(),
    temporalUi: await reservePort(),
    http: await reservePort(),
  };
  const parts = partsOf(folder, ports, settings, ofApi);
  try {
    return await startParts(folder, ports, parts);
  } catch (error) {
    await parts.stop();
    throw error;
  }
}

async function startParts(folder: string, ports: Ports, { part, start, startMore, stop }: Parts): Promise<Stack> {
  const starting = [
    putCluster(folder)
      .then(() => start('postgres'))
      .then(() => prepareDatabase((part('postgres') as EmbeddedPostgres).url)),
    start('temporal'),
  ] as const;
  // If one fails to start the other must not start after all has been stopped.
  await Promise.allSettled(starting);
  const [pool] = await Promise.all(starting);
  for (const name of ['worker', 'api'] as const) await start(name);
  const url = `http://127.0.0.1:${ports.http}`;
  const ready = () =>
    waitUntilReady(`${url}/healthz/ready`, { name: 'API', whenExited: part('api').whenExited, withinMs: 60_000 });
  await ready();
  return {
    url,
    folder,
    temporalAddress: `127.0.0.1:${ports.temporal}`,
    start,
    ready,
    token: await issueToken(pool, 'supplier', ['SUPPLIER_FR']),
    query: async (text, values) => (await pool.query(text, values)).rows,
    process: part,
    startMore,
    terminate: (name) => {
      process.kill(part(name).pid, 'SIGTERM');
      return part(name).whenExited;
    },
    kill: async (name) => {
      process.kill(part(name).pid, 'SIGKILL');
      await part(name).whenExited;
    },
    stop: async () => {
      await pool.end();
      await stop();
    },
  };
}

interface Ports {
  postgres: number;
  temporal: number;
  temporalUi: number;
  http: number;
}

type Parts = ReturnType<typeof partsOf>;

/** The running parts by name, and how each is started; `stop` ends them. */
function partsOf(folder: string, ports: Ports, settings: Record<string, string>, ofApi: Record<string, string>) {
  const log = createLog({ level: 'silent', process: 'test' });
  const running = new Map<Part, RunningProcess>();
  const more: RunningProcess[] = [];
  const environment = (): NodeJS.ProcessEnv => ({
    ...childEnvironment(),
    HOME: process.env['HOME'],
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'warn',
    HTTP_PORT: String(ports.http),
    DATABASE_URL: (running.get('postgres') as EmbeddedPostgres).applicationUrl,
    TEMPORAL_ADDRESS: `127.0.0.1:${ports.temporal}`,
  });
  const program = async (part: 'worker' | 'api', given: Record<string, string> = {}) => {
    const { file, environment: own } = await processWith(part, { ...settings, ...given });
    const output = openSync(join(folder, `${part}.log`), 'a');
    return startChild(
      process.execPath,
      [file],
      { env: { ...environment(), ...own }, stdio: ['ignore', output, output] },
      ENDING,
    ).finally(() => closeSync(output));
  };
  const starts: Record<Part, () => Promise<RunningProcess>> = {
    postgres: () => startEmbeddedPostgres({ dataDir: folder, port: ports.postgres, log }),
    temporal: () =>
      startEmbeddedTemporal({
        cliPath: process.env['TEST_TEMPORAL_CLI'] as string,
        dataDir: folder,
        port: ports.temporal,
        uiPort: ports.temporalUi,
        namespace: 'default',
        dynamicConfig: temporalSettings,
        log,
      }),
    worker: () => program('worker'),
    api: () => program('api', ofApi),
  };
  const start = async (name: Part) => {
    running.set(name, await starts[name]());
  };
  const startMore: Stack['startMore'] = async (part, given) => {
    const started = await program(part, given);
    more.push(started);
    return started;
  };
  const stop = async () => {
    await Promise.all([...more, running.get('api'), running.get('worker')].map(async (one) => one?.stop()));
    for (const name of ['temporal', 'postgres'] as const) await running.get(name)?.stop();
    await removeDataFolder(folder);
  };
  return { part: (name: Part) => running.get(name) as RunningProcess, start, startMore, stop };
}

/** One import supplier and one team. */
async function prepareDatabase(databaseUrl: string): Promise<pg.Pool> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 2 });
  pool.on('error', () => undefined);
  await pool.query(`insert into import_supplier (code, name) values ('SUPPLIER_FR', 'Supplier of the tests')`);
  await pool.query(`insert into operations_team (name) values ('Migration')`);
  return pool;
}
