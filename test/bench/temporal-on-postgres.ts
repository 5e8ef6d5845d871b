import { execFile } from 'node:child_process';
import { access, mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time.js';
import { startChild } from '../../src/local-stack/running-process.ts';
import { registerSearchAttributes } from '../../src/platform/temporal/search-attributes.ts';
import { startMember, type Member } from './member.ts';
import { isListening, reservePort } from '../support/test-port.ts';
import { until } from '../support/until.ts';

/*
 * Temporal's server as it runs in production: its four roles as processes, on Postgres. Server and schema tool are
 * built with Go from the versions in `temporal-server/go.mod`, once, and kept in our cache.
 */
const VERSION = '1.31.2';
/** The settings of our installation. */
const DYNAMIC_CONFIG = join(import.meta.dirname, '../../deploy/temporal/dynamic-config.yaml');
const MODULE = join(import.meta.dirname, 'temporal-server');
const CACHE = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'gangway');
const ROLES = ['history', 'matching', 'frontend', 'worker'] as const;
/** Of our docker-compose.yml. */
const SHARDS = 512;
const READY_WITHIN_MS = 120_000;
const ENDING = [
  { signal: 'SIGTERM', waitMs: 20_000 },
  { signal: 'SIGKILL', waitMs: 5_000 },
] as const;
const run = promisify(execFile);

export interface TemporalOnPostgres {
  address: string;
  /** The roles. */
  members: Member[];
  stop(): Promise<void>;
}

/**
 * Starts the four roles on two databases of a Postgres server.
 * @param folder for configuration and logs
 * @param databaseOf the address of a database, which is created, for a role that may create tables
 * @param createDatabase creates a database
 */
export async function startTemporalOnPostgres(
  folder: string,
  databaseOf: (name: string) => string,
  createDatabase: (name: string) => Promise<unknown>,
): Promise<TemporalOnPostgres> {
  const server = await built('temporal-server', 'go.temporal.io/server/cmd/server');
  const tool = await built('temporal-sql-tool', 'go.temporal.io/server/cmd/tools/sql');
  for (const [database, schema] of [
    ['temporal', 'temporal'],
    ['temporal_visibility', 'visibility'],
  ] as const) {
    await createDatabase(database);
    const { hostname, port, username, password } = new URL(databaseOf(database));
    const login = ['--ep', hostname, '-p', port, '-u', username, '--pw', password, '--pl', 'postgres12_pgx'];
    const onDatabase = [...login, '--db', database];
    await run(tool, [...onDatabase, 'setup-schema', '-v', '0.0']);
    await run(tool, [...onDatabase, 'update-schema', '--schema-name', `postgresql/v12/${schema}`]);
  }
  const ports = new Map<string, number>();
  for (const role of ROLES) for (const kind of ['rpc', 'membership']) ports.set(`${role}-${kind}`, await reservePort());
  const address = `127.0.0.1:${ports.get('frontend-rpc')}`;
  const configuration = join(folder, 'temporal.yaml');
  await writeFile(configuration, JSON.stringify(configurationOf(folder, address, databaseOf('temporal'), ports)));
  const members: Member[] = [];
  const errorsFile = join(folder, 'temporal-errors.log');
  const errors = await open(errorsFile, 'a');
  const start = async (role: (typeof ROLES)[number]) =>
    members.push(
      await startMember(`temporal ${role}`, async () => {
        const running = await startChild(
          server,
          ['--config-file', configuration, '--allow-no-auth', 'start', '--service', role],
          { stdio: ['ignore', 'ignore', errors.fd] },
          ENDING,
        );
        await Promise.race([until(() => isListening(ports.get(`${role}-rpc`)!)), running.whenExited]);
        return running;
      }),
    );
  // Alone, because the first process stores the cluster's metadata, and two at once would collide.
  for (const role of ROLES) await start(role);
  const stop = async () => {
    await Promise.all(members.map((member) => member.stop()));
    await errors.close();
  };
  const failed = Promise.race(members.map((member) => member.whenExited())).then(async () => {
    const said = await readFile(errorsFile, 'utf8');
    throw new Error(`A process of the Temporal server ended while it started:\n${said}`);
  });
  failed.catch(() => {});
  try {
    await Promise.race([ready(address), failed]);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, members, stop };
}

/** The program in our cache; built if it is missing. */
async function built(name: string, module: string): Promise<string> {
  const path = join(CACHE, `${name}-${VERSION}`);
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) return path;
  process.stdout.write(`Building ${name} ${VERSION} with Go; this takes some minutes once ...\n`);
  await mkdir(CACHE, { recursive: true });
  await run('go', ['build', '-mod=readonly', '-ldflags=-s -w', '-o', path, module], { cwd: MODULE });
  return path;
}

function configurationOf(folder: string, address: string, database: string, ports: ReadonlyMap<string, number>) {
  const { host, username, password } = new URL(database);
  const store = (name: string, connections: number) => ({
    sql: {
      pluginName: 'postgres12_pgx',
      databaseName: name,
      connectAddr: host,
      connectProtocol: 'tcp',
      user: username,
      password,
      maxConns: connections,
      maxIdleConns: connections,
      maxConnLifetime: '1h',
    },
  });
  const service = (role: string) => ({
    rpc: { grpcPort: ports.get(`${role}-rpc`), membershipPort: ports.get(`${role}-membership`), bindOnLocalHost: true },
  });
  return {
    log: { stdout: false, level: 'error', outputFile: join(folder, 'temporal.log') },
    persistence: {
      defaultStore: 'main',
      visibilityStore: 'visibility',
      numHistoryShards: SHARDS,
      datastores: { main: store('temporal', 20), visibility: store('temporal_visibility', 5) },
    },
    global: { membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' } },
    services: Object.fromEntries(ROLES.map((role) => [role, service(role)])),
    clusterMetadata: {
      enableGlobalNamespace: false,
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: {
        active: { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: address },
      },
    },
    dcRedirectionPolicy: { policy: 'noop' },
    publicClient: { hostPort: address },
    dynamicConfigClient: { filepath: DYNAMIC_CONFIG, pollInterval: '60s' },
  };
}

/** Creates the namespace with our search attributes as soon as the server allows it. */
async function ready(address: string): Promise<void> {
  const until = Date.now() + READY_WITHIN_MS;
  const connection = Connection.lazy({ address });
  try {
    for (;;) {
      try {
        await createNamespace(connection);
        await registerSearchAttributes(connection, 'default');
        return;
      } catch (error) {
        if (Date.now() > until) throw error;
        await sleep(500);
      }
    }
  } finally {
    await connection.close();
  }
}

async function createNamespace({ workflowService }: Connection): Promise<void> {
  await workflowService
    .registerNamespace({ namespace: 'default', workflowExecutionRetentionPeriod: msToTs(7 * 86_400_000) })
    .catch((error: unknown) => {
      if (!/already exists/i.test(String(error))) throw error;
    });
}
