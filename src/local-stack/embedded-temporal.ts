import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { mkdir, realpath } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../platform/log.ts';
import { openLog } from './supervisor.ts';
import { endLeftOver, startChild, type EndingSteps, type RunningProcess } from './running-process.ts';
import { registerSearchAttributes } from '../platform/temporal/search-attributes.ts';

const answersWithinMs = 60_000;
const RUNS_KEPT_SECONDS = 7 * 86_400;

/** The server's files contain account numbers; by default every user could read them. */
const WITH_PRIVATE_FILES = 'umask 077; exec "$0" "$@"';

const ending: EndingSteps = [
  { signal: 'SIGTERM', waitMs: 10_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

/** Open calls can delay an orderly stop by ten seconds. The database file survives SIGKILL. */
const endingLeftOver: EndingSteps = [
  { signal: 'SIGTERM', waitMs: 2_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
];

export interface EmbeddedTemporalOptions {
  /** Path of the Temporal command line. */
  cliPath: string;
  /** Data folder of gangway, with the server's database file. */
  dataDir: string;
  /** A free port on 127.0.0.1. */
  port: number;
  /** A free port on 127.0.0.1 for the web UI. */
  uiPort: number;
  namespace: string;
  /** Further settings of the server, as `key=value`. */
  dynamicConfig?: readonly string[];
  log: Log;
  /** Aborts the wait. */
  signal?: AbortSignal;
}

export interface EmbeddedTemporal extends RunningProcess {
  /** Host and port of the server. */
  address: string;
  uiUrl: string;
}

/**
 * Starts the embedded Temporal server, and waits until it responds and our search attributes are registered. Stops a server that an earlier
 * process left running on the same database file.
 * @throws Error with the end of the server's log if it does not start
 */
export async function startEmbeddedTemporal(options: EmbeddedTemporalOptions): Promise<EmbeddedTemporal> {
  const { cliPath, dataDir, port, uiPort, namespace, log, signal } = options;
  await mkdir(dataDir, { recursive: true });
  await endLeftTemporal(dataDir, log);
  const logFile = await openLog(join(dataDir, 'temporal.log'));
  try {
    const child = await startChild(
      '/bin/sh',
      ['-c', WITH_PRIVATE_FILES, cliPath, ...serverArguments(await databaseFile(dataDir), options)],
      { stdio: ['ignore', logFile.handle.fd, logFile.handle.fd] },
      ending,
    );
    const address = `127.0.0.1:${port}`;
    try {
      await ready(child, address, namespace, signal);
    } catch (error) {
      await child.stop();
      signal?.throwIfAborted();
      throw new Error(
        `The embedded Temporal server did not start: ${(error as Error).message}\n${await logFile.lastWords()}`,
        { cause: error },
      );
    }
    return { ...child, address, uiUrl: `http://127.0.0.1:${uiPort}` };
  } finally {
    await logFile.handle.close();
  }
}

/**
 * Stops a Temporal server that a killed process left running on this data folder, found by the database file in its command line. Its
 * workflows are stored in that file and continue under the next server.
 */
export async function endLeftTemporal(dataDir: string, log: Log): Promise<void> {
  await endLeftOver('a Temporal server', ` --db-filename ${await databaseFile(dataDir)} `, endingLeftOver, log);
}

async function databaseFile(dataDir: string): Promise<string> {
  return join(await realpath(dataDir), 'temporal.db');
}

function serverArguments(
  file: string,
  { port, uiPort, namespace, dynamicConfig: more = [] }: EmbeddedTemporalOptions,
): string[] {
  const dynamicConfig = [
    // The dev server has a single shard. With the default of 20 a second, each task waits up to 50 ms after a burst.
    'history.transferProcessorMaxPollRPS=1000',
    'system.enableActivityEagerExecution=false',
    ...more,
  ];
  const pragmas = ['journal_mode=WAL', 'synchronous=NORMAL'];
  return [
    ...['server', 'start-dev', '--ip', '127.0.0.1', '--port', String(port), '--ui-port', String(uiPort)],
    ...['--db-filename', file, '--namespace', namespace, '--log-level', 'error'],
    ...pragmas.flatMap((pragma) => ['--sqlite-pragma', pragma]),
    ...dynamicConfig.flatMap((value) => ['--dynamic-config-value', value]),
  ];
}

async function ready(child: RunningProcess, address: string, namespace: string, signal?: AbortSignal): Promise<void> {
  let exited = false;
  void child.whenExited.then(() => (exited = true));
  const until = Date.now() + answersWithinMs;
  const connection = Connection.lazy({ address });
  try {
    for (;;) {
      const failure = await whyNotAnswering(connection, address, namespace);
      signal?.throwIfAborted();
      if (exited) throw new Error('it ended while it started');
      if (!failure) break;
      if (Date.now() > until) throw new Error(`it does not answer on ${address} (${failure.message})`);
      await sleep(50);
    }
    await registerSearchAttributes(connection, namespace);
    await keepRuns(connection, namespace);
  } finally {
    await connection.close();
  }
}

/** The dev server deletes ended runs after a day and has no option for it. A longer retention is kept. */
async function keepRuns({ workflowService }: Connection, namespace: string): Promise<void> {
  const { config } = await workflowService.describeNamespace({ namespace });
  const ttl = config?.workflowExecutionRetentionTtl;
  if (Number(ttl?.seconds ?? 0) >= RUNS_KEPT_SECONDS) return;
  await workflowService.updateNamespace({
    namespace,
    config: { workflowExecutionRetentionTtl: msToTs(RUNS_KEPT_SECONDS * 1_000) },
  });
}

/** Waits for the port first, because after a refused attempt the gRPC client waits over a second. */
async function whyNotAnswering(connection: Connection, address: string, namespace: string): Promise<Error | undefined> {
  try {
    await portOpen(address);
    await connection.withDeadline(Date.now() + 2_000, () =>
      connection.workflowService.describeNamespace({ namespace }),
    );
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

function portOpen(address: string): Promise<void> {
  const { hostname, port } = new URL(`tcp://${address}`);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.destroy();
      resolve();
    });
    socket.once('error', reject);
  });
}
