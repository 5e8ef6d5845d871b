import { execFile, type StdioOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConstantBackoff, handleWhen, retry } from 'cockatiel';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { Log } from '../platform/log.ts';
import { openLog } from './supervisor.ts';
import { keptSecret } from './data-folder.ts';
import { findPostgresHome, type PostgresHome } from './postgres-home.ts';
import { endLeftOver, startChild, type EndingSteps, type RunningProcess } from './running-process.ts';

/** The role that owns the tables; the service itself runs as another role. */
const user = 'gangway';
/** The role of the service, which reads and writes rows and owns nothing. */
export const embeddedApplicationRole = 'gangway_app';
const readyWithinMs = 120_000;
const startTries = 20;

/** SIGINT requests Postgres's fast shutdown, SIGQUIT the immediate one, after which it recovers at its next start. */
const ending: EndingSteps = [
  { signal: 'SIGINT', waitMs: 15_000 },
  { signal: 'SIGQUIT', waitMs: 5_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

export interface EmbeddedPostgresOptions {
  /** Data folder of gangway. The cluster is in it or next to it. */
  dataDir: string;
  /** A free port on 127.0.0.1. */
  port: number;
  log: Log;
  /** False is faster, but loses data in a power failure; for tests only. */
  fsync?: boolean;
  /** Databases that are created if missing; `url` refers to the first one. */
  databases?: readonly string[];
  /** Aborts the wait. */
  signal?: AbortSignal;
}

export interface EmbeddedPostgres extends RunningProcess {
  /** Address of the first database for the role that owns it. */
  url: string;
  /** The same for the role of the service. */
  applicationUrl: string;
  port: number;
  /** Address of any database of the server for the role that owns it. */
  urlOf(database: string): string;
  /** The same for the role of the service. */
  applicationUrlOf(database: string): string;
}

/**
 * Starts the embedded Postgres server, creates its cluster on first use, and waits until it accepts connections. Stops a server that an
 * earlier process left running on the same folder.
 * @throws Error with the end of the server's log if it does not start
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  return whileRunning.execute(() => {
    options.signal?.throwIfAborted();
    return startOnce(options);
  }, options.signal);
}

/** The last processes of a killed server hold its memory for a moment. */
const isStillRunning = /pre-existing shared memory block|lock file "postmaster.pid" already exists/;
const whileRunning = retry(
  handleWhen((error) => isStillRunning.test(String(error))),
  { maxAttempts: startTries - 1, backoff: new ConstantBackoff(500) },
);

async function startOnce(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { dataDir, log, databases = [user], signal } = options;
  await mkdir(dataDir, { recursive: true });
  const home = await findPostgresHome(await realpath(dataDir), log);
  const isInitialised = (await stat(join(home.data, 'PG_VERSION')).catch(() => undefined)) !== undefined;
  const password = await keptPassword(join(dataDir, 'postgres-password'), home.data, isInitialised);
  // Set at each start, so a lost file does no harm.
  const applicationPassword = await keptSecret(join(dataDir, 'postgres-app-password'), makePassword);
  if (!isInitialised) await initialise(home, password, options);

  await endLeftPostgres(dataDir, log);
  const running = await start(home, options);
  const urlBy =
    (role: string, secret: string) =>
    (database: string): string =>
      `postgresql://${role}:${secret}@127.0.0.1:${running.port}/${encodeURIComponent(database)}`;
  const [urlOf, applicationUrlOf] = [urlBy(user, password), urlBy(embeddedApplicationRole, applicationPassword)];
  try {
    await ready(running, urlOf('postgres'), signal);
    await makeDatabases(urlOf('postgres'), { names: databases, applicationPassword });
  } catch (error) {
    await running.stop();
    throw error;
  }
  signal?.throwIfAborted();
  const [first = 'postgres'] = databases;
  return { ...running, urlOf, applicationUrlOf, url: urlOf(first), applicationUrl: applicationUrlOf(first) };
}

/** A setting without a meaning to Postgres, by which the command line names the data folder. */
const folderSetting = async (dataDir: string) => `gangway.data_folder=${await realpath(dataDir)}`;

/** Stops a server that a killed process left running on this data folder. */
export async function endLeftPostgres(dataDir: string, log: Log): Promise<void> {
  await endLeftOver('Postgres', ` ${await folderSetting(dataDir)} `, ending, log);
}

const makePassword = () => randomBytes(24).toString('hex');

async function keptPassword(path: string, data: string, isInitialised: boolean): Promise<string> {
  if (isInitialised && !(await stat(path).catch(() => undefined))?.size) {
    throw new Error(
      `The password file ${path} of the Postgres data in ${data} is missing. Restore it, or move the data away to start with an empty database.`,
    );
  }
  return keptSecret(path, makePassword);
}

/** Creates the cluster under a temporary name, so that an interrupted creation is never used. */
async function initialise(home: PostgresHome, password: string, options: EmbeddedPostgresOptions): Promise<void> {
  const unfinished = `${home.data}.new`;
  const passwordFile = `${home.data}.password`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (home.account) {
    for (const path of [unfinished, passwordFile]) await chown(path, home.account.uid, home.account.gid);
  }
  const args = [
    `--pgdata=${unfinished}`,
    `--username=${user}`,
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // Thousands of rounds protect passwords chosen by people; these are 192 random bits.
    '--set=scram_iterations=1',
  ];
  if (options.fsync === false) args.push('--no-sync');
  try {
    await promisify(execFile)(join(home.programs, 'initdb'), args, {
      ...home.account,
      cwd: '/',
      env: environment(),
      signal: options.signal,
    });
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`The embedded Postgres could not create its data in ${home.data}: ${stderr || message}`, {
      cause: error,
    });
  } finally {
    await rm(passwordFile, { force: true });
  }
  await rename(unfinished, home.data);
}

/** The server must not inherit variables that change its behavior (PGDATA, PGPORT, a locale that is not installed). */
function environment(): NodeJS.ProcessEnv {
  return { LC_ALL: 'C', TZ: 'UTC' };
}

type Server = RunningProcess & { port: number; lastWords(): Promise<string> };

async function start(home: PostgresHome, { port, fsync, dataDir }: EmbeddedPostgresOptions): Promise<Server> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'];
  settings.push(await folderSetting(dataDir));
  if (fsync === false) settings.push('fsync=off', 'full_page_writes=off', 'synchronous_commit=off');
  const args = ['-D', home.data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
  const logFile = await openLog(join(dataDir, 'postgres.log'));
  try {
    const stdio: StdioOptions = ['ignore', logFile.handle.fd, logFile.handle.fd];
    const child = await startChild(
      join(home.programs, 'postgres'),
      args,
      { ...home.account, cwd: '/', env: environment(), stdio },
      ending,
    );
    return { ...child, port, lastWords: logFile.lastWords };
  } finally {
    await logFile.handle.close();
  }
}

/** Waits until the server accepts logins; recovery after a crash may take a while. */
async function ready(server: Server, url: string, signal?: AbortSignal): Promise<void> {
  let exited = false;
  void server.whenExited.then(() => (exited = true));
  const until = Date.now() + readyWithinMs;
  for (;;) {
    const failure = await loginFailure(url);
    if (failure === undefined) return;
    signal?.throwIfAborted();
    if (exited) throw new Error(`The embedded Postgres ended while it started.\n${await server.lastWords()}`);
    if (!isStarting.has(failure.code ?? '') || Date.now() > until) {
      throw new Error(
        `The embedded Postgres on port ${server.port} does not take logins: ${failure.message}\n${await server.lastWords()}`,
        { cause: failure },
      );
    }
    await sleep(25);
  }
}

/** Not listening yet, starting up or recovering, or connection dropped during startup. */
const isStarting = new Set(['ECONNREFUSED', '57P03', 'ECONNRESET']);

async function loginFailure(url: string): Promise<(Error & { code?: string }) | undefined> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return undefined;
  } catch (error) {
    return error as Error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Creates the missing databases, and the role of the service. */
async function makeDatabases(
  url: string,
  { names, applicationPassword }: { names: readonly string[]; applicationPassword: string },
): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    for (const name of names) {
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${client.escapeIdentifier(name)}`);
    }
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [embeddedApplicationRole]);
    const role = `ROLE ${client.escapeIdentifier(embeddedApplicationRole)}`;
    await client.query(
      `${rowCount === 0 ? 'CREATE' : 'ALTER'} ${role} LOGIN PASSWORD ${client.escapeLiteral(applicationPassword)}`,
    );
  } finally {
    await client.end();
  }
}
