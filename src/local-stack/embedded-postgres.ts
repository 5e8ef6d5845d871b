import { execFile, type StdioOptions } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, realpath, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConstantBackoff, handleWhen, retry } from 'cockatiel';
import { promisify } from 'node:util';
import { Client } from 'pg';
import type { Log } from '../platform/log.ts';
import { openLog } from './child-log.ts';
import { findPostgresHome, type PostgresHome } from './postgres-home.ts';
import { adoptProcess, findProcesses, startChild, type EndingSteps, type RunningProcess } from './running-process.ts';

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
  /** Whether the server was left running by an earlier process. */
  adopted: boolean;
  /** Address of any database of the server for the role that owns it. */
  urlOf(database: string): string;
  /** The same for the role of the service. */
  applicationUrlOf(database: string): string;
}

/**
 * Starts the embedded Postgres server, creates its cluster on first use, and waits until it accepts connections. Reuses a server that an
 * earlier process left running on the same folder, so that two servers never share a folder.
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
  const password = await keptPassword(dataDir, home.data);
  const applicationPassword = await keptApplicationPassword(dataDir);
  if (!(await stat(join(home.data, 'PG_VERSION')).catch(() => undefined))) await initialise(home, password, options);

  const running = (await adopt(home.data, log)) ?? (await start(home, options));
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

async function keptPassword(dataDir: string, data: string): Promise<string> {
  const path = join(dataDir, 'postgres-password');
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  if (kept) return kept.trim();
  if (await stat(join(data, 'PG_VERSION')).catch(() => undefined)) {
    throw new Error(
      `The password file ${path} of the Postgres data in ${data} is missing. Restore it, or move the data away to start with an empty database.`,
    );
  }
  const password = randomBytes(24).toString('hex');
  await writeFile(path, password, { mode: 0o600 });
  return password;
}

/** Set at each start, so a lost file does no harm. */
async function keptApplicationPassword(dataDir: string): Promise<string> {
  const path = join(dataDir, 'postgres-app-password');
  const kept = await readFile(path, 'utf8').catch(() => '');
  if (kept !== '') return kept.trim();
  const password = randomBytes(24).toString('hex');
  await writeFile(path, password, { mode: 0o600 });
  return password;
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

type Server = RunningProcess & { port: number; adopted: boolean; lastWords(): Promise<string> };

/** Finds a running server by process id and port in its file. Its command line contains the folder, which proves that it is the right process. */
async function adopt(data: string, log: Log): Promise<Server | undefined> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  const [pid, port] = [Number(lines[0]), Number(lines[3])];
  if (!pid || !port || !findProcesses((line) => line.includes(` -D ${data} `)).includes(pid)) return undefined;
  log.info({ childPid: pid, port }, 'an earlier start left Postgres running on this data folder; it is taken over');
  return { ...adoptProcess(pid, ending), port, adopted: true, lastWords: async () => '' };
}

async function start(home: PostgresHome, { port, fsync, dataDir }: EmbeddedPostgresOptions): Promise<Server> {
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200'];
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
    return { ...child, port, adopted: false, lastWords: logFile.lastWords };
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
