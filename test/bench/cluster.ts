import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedApplicationRole, type EmbeddedPostgres } from '../../src/local-stack/embedded-postgres.ts';
import type { RunningProcess } from '../../src/local-stack/running-process.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { setRoleSettings } from '../../src/platform/database/session-settings.ts';
import { sqlFiles } from '../../src/processes/sql-files.ts';
import { nginx, startNginx } from '../support/nginx.ts';
import { pgBouncers, startPgBouncer } from '../support/pgbouncer.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';
import { reservePort } from '../support/test-port.ts';
import { below, stopChild } from './measure.ts';
import { startMember, type Member } from './member.ts';
import { measureStacks } from './processes.ts';
import { startOurs, startPostgres, startSimulators, startStack, type Stack } from './stack.ts';
import { withClient } from './stage-set.ts';
import { startTemporalOnPostgres } from './temporal-on-postgres.ts';

/*
 * `npm run bench -- cluster`: the installation of docs/running on one machine. Two API processes, two workers and a
 * support site from the bundled programs, behind the documented nginx, with PgBouncer before Postgres, and Temporal on
 * the same Postgres in four processes. Measured beside one API and one worker with Temporal's development server.
 * BENCH_WORKS, BENCH_SECONDS and BENCH_ROUNDS as for `processes`.
 */
const EACH = 2;

/** Measures both, prints a table with ratios to the development server, and stores it. */
export async function benchCluster(print: (line?: string) => void): Promise<void> {
  await measureStacks(
    [
      { start: startStack, counts: [1], nameOf: () => '1 of each' },
      { start: startCluster, counts: [EACH], nameOf: () => 'cluster' },
    ],
    "to one API and worker with Temporal's development server, and to a cluster on the same machine",
    print,
  );
}

/** An installation, and its processes by name. */
export interface Cluster extends Stack {
  entrance: string;
  members: Member[];
}

/** @throws Error if nginx or PgBouncer is missing */
export async function startCluster(): Promise<Cluster> {
  const pooling = pgBouncers.find(({ carriesStatements }) => carriesStatements);
  if (nginx === undefined) throw new Error('There is no nginx. Install the package `nginx`.');
  if (pooling === undefined) throw new Error('There is no PgBouncer 1.21 or later. Name its program in PGBOUNCER.');
  const folder = await mkdtemp(join(tmpdir(), 'gangway-cluster-'));
  await chmod(folder, 0o755);
  // Makes `programFile` bundle the programs.
  process.env['TEST_FOLDER'] = folder;
  const ends: Ends = [() => removeDataFolder(folder)];
  const stop = async () => {
    for (const end of ends.splice(0).toReversed()) await end();
  };
  try {
    const servers = await startServers(folder, pooling.path, ends);
    return { ...(await startPrograms(folder, servers, ends)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Ends = (() => Promise<unknown>)[];

/** Starts a member that ends with the cluster. */
async function startIn(ends: Ends, name: string, start: () => Promise<RunningProcess>): Promise<Member> {
  const member = await startMember(name, start);
  ends.push(() => member.stop());
  return member;
}

/** Postgres with our schema, PgBouncer before it, Temporal, and the simulated parties. */
async function startServers(folder: string, pgBouncer: string, ends: Ends) {
  const [postgresPort, poolerPort] = [await reservePort(), await reservePort()];
  let started: EmbeddedPostgres | undefined;
  const postgres = await startIn(ends, 'postgres', async () => {
    started = await startPostgres(folder, started ? {} : { max_connections: '300' }, postgresPort);
    return started;
  });
  const { url, applicationUrl, urlOf } = started!;
  const temporal = await startTemporalOnPostgres(folder, urlOf, (name) =>
    withClient(url, (client) => client.query(`create database ${name}`)),
  );
  ends.push(() => temporal.stop());
  await migrate(url, sqlFiles, embeddedApplicationRole);
  await setRoleSettings(applicationUrl);
  const pools = { max_prepared_statements: 200, max_client_conn: 500, default_pool_size: 60 };
  const pooler = await startIn(ends, 'pgbouncer', () => startPgBouncer(pgBouncer, applicationUrl, pools, poolerPort));
  const poolerUrl = Object.assign(new URL(applicationUrl), { port: String(poolerPort) }).href;
  const simulators = await startSimulators();
  ends.push(() => stopChild(simulators.child));
  return { url, applicationUrl, poolerUrl, postgres, temporal, pooler, simulators };
}

type Servers = Awaited<ReturnType<typeof startServers>>;

/** Our processes, with nginx before the API. */
async function startPrograms(
  folder: string,
  { url: database, applicationUrl, poolerUrl, postgres, temporal, pooler, simulators }: Servers,
  ends: Ends,
): Promise<Omit<Cluster, 'stop'>> {
  const environment = {
    ...process.env,
    NODE_ENV: 'production',
    DATABASE_URL: poolerUrl,
    DATABASE_LISTEN_URL: applicationUrl,
    TEMPORAL_ADDRESS: temporal.address,
    HTTP_PROXIES: '1',
  };
  const start = async (program: Parameters<typeof startOurs>[0], number: number) => {
    const port = await reservePort();
    const member = await startIn(
      ends,
      `${program} ${number}`,
      async () => (await startOurs(program, environment, simulators.settings, port)).running,
    );
    return { ...member, port };
  };
  const workers = [await start('worker', 1), await start('worker', 2)];
  const [one, other] = [await start('api', 1), await start('api', 2)];
  const site = await start('support-site', 1);
  const port = await reservePort();
  const proxy = await startIn(ends, 'nginx', () => startNginx(folder, port, [one.port, other.port]));
  const pids = (members: readonly Member[]) => members.map((member) => member.pid());
  return {
    apis: [one, other].map((api) => `http://127.0.0.1:${api.port}`),
    entrance: `http://127.0.0.1:${port}`,
    database,
    members: [one, other, ...workers, site, ...temporal.members, postgres, pooler, proxy],
    pids: () => ({
      api: pids([one, other]),
      worker: pids(workers),
      temporal: pids(temporal.members),
      postgres: [postgres.pid(), ...below(postgres.pid())],
      proxies: pids([proxy, pooler]),
    }),
    resize: async (count) => {
      if (count !== EACH) throw new Error(`The documented nginx has ${EACH} API processes.`);
    },
  };
}
