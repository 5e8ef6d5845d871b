import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedApplicationRole } from '../../src/local-stack/embedded-postgres.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { setRoleSettings } from '../../src/platform/database/session-settings.ts';
import { sqlFiles } from '../../src/processes/sql-files.ts';
import { nginx, startNginx } from '../support/nginx.ts';
import { pgBouncers, startPgBouncer } from '../support/pgbouncer.ts';
import { removeDataFolder } from '../support/remove-data-folder.ts';
import { reservePort } from '../support/test-port.ts';
import { below, stopChild } from './measure.ts';
import { measureStacks } from './processes.ts';
import { startOurs, startPostgres, startSimulators, startStack, type BenchStack, type Stack } from './stack.ts';
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

type Ends = (() => Promise<unknown>)[];

async function startCluster(): Promise<Stack> {
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

/** Postgres with our schema, PgBouncer before it, Temporal, and the simulated parties. */
async function startServers(folder: string, pgBouncer: string, ends: Ends) {
  const postgres = await startPostgres(folder, { max_connections: '300' });
  ends.push(() => postgres.stop());
  const temporal = await startTemporalOnPostgres(
    folder,
    (name) => postgres.urlOf(name),
    (name) => withClient(postgres.url, (client) => client.query(`create database ${name}`)),
  );
  ends.push(() => temporal.stop());
  await migrate(postgres.url, sqlFiles, embeddedApplicationRole);
  await setRoleSettings(postgres.applicationUrl);
  const pooler = await startPgBouncer(pgBouncer, postgres.applicationUrl, {
    max_prepared_statements: 200,
    max_client_conn: 500,
    default_pool_size: 60,
  });
  ends.push(() => pooler.stop());
  const simulators = await startSimulators();
  ends.push(() => stopChild(simulators.child));
  return { postgres, temporal, pooler, simulators };
}

type Servers = Awaited<ReturnType<typeof startServers>>;

/** Our processes, with nginx before the API. */
async function startPrograms(
  folder: string,
  { postgres, temporal, pooler, simulators }: Servers,
  ends: Ends,
): Promise<Omit<Stack, 'stop'>> {
  const environment = {
    ...process.env,
    NODE_ENV: 'production',
    DATABASE_URL: pooler.url,
    DATABASE_LISTEN_URL: postgres.applicationUrl,
    TEMPORAL_ADDRESS: temporal.address,
    HTTP_PROXIES: '1',
  };
  const start = async (program: Parameters<typeof startOurs>[0]): Promise<BenchStack> => {
    const started = await startOurs(program, environment, simulators.settings);
    ends.push(() => started.running.stop());
    return started;
  };
  const workers = [await start('worker'), await start('worker')];
  const apis = [await start('api'), await start('api')] as const;
  await start('support-site');
  const [one, other] = apis.map(({ url }) => Number(new URL(url).port)) as [number, number];
  const port = await reservePort();
  const proxy = await startNginx(folder, port, [one, other]);
  ends.push(() => proxy.stop());
  return {
    apis: apis.map(({ url }) => url),
    entrance: `http://127.0.0.1:${port}`,
    database: postgres.url,
    pids: () => ({
      api: apis.map(({ running }) => running.pid),
      worker: workers.map(({ running }) => running.pid),
      temporal: temporal.pids,
      postgres: [postgres.pid, ...below(postgres.pid)],
      proxies: [proxy.pid, pooler.pid],
    }),
    resize: async (count) => {
      if (count !== EACH) throw new Error(`The documented nginx has ${EACH} API processes.`);
    },
  };
}
