import { afterEach, expect, test } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { sql } from 'kysely';
import pg from 'pg';
import { pino } from 'pino';
import { childEnvironment } from '../support/child-environment.ts';
import { programFile } from '../support/program-file.ts';
import { openDatabase, type DatabaseOptions } from '../../src/platform/database/database.ts';
import { databaseState } from '../../src/platform/database/database-state.ts';
import { refuseUnfitSessions, ROLE_LIMITS, setRoleSettings } from '../../src/platform/database/session-settings.ts';
import { fixedSecrets } from '../../src/platform/secrets/secrets.ts';
import { entities } from '../../src/processes/entities.ts';
import { kyselyOf, run } from '../../src/platform/database/prepared-query.ts';
import { domesticAccount } from '../support/account-payload.ts';
import { startService, type Service } from '../support/harness.ts';
import { pgBouncers, startPgBouncer } from '../support/pgbouncer.ts';
import { createTestDatabase } from '../support/test-database.ts';
import { until } from '../support/until.ts';

// The service behind a real PgBouncer in transaction mode, which may use another session for each transaction.

const ended: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ended.splice(0).toReversed()) await end();
});

interface Line {
  msg: string;
  host?: string;
  sqlstate?: string;
  message?: string;
}
function readableLog(level = 'warn') {
  const lines: Line[] = [];
  return { lines, log: pino({ level }, { write: (line: string) => void lines.push(JSON.parse(line)) }) };
}

const LIMITS = { statement_timeout: 3_000, lock_timeout: 2_000, idle_in_transaction_session_timeout: 4_000 };
async function open(url: string, given: Partial<DatabaseOptions> = {}) {
  const { log } = readableLog();
  const options = { url, entities, poolSize: 3, log, applicationName: 'test', limits: LIMITS, ...given };
  const database = await openDatabase(options);
  ended.push(() => database.close());
  return database;
}
async function createClone() {
  const clone = await createTestDatabase();
  ended.push(() => clone.drop());
  return clone;
}
async function pooled(program: string, url: string, settings = {}): Promise<string> {
  const pooler = await startPgBouncer(program, url, settings);
  ended.push(() => pooler.stop());
  return pooler.url;
}

const SHOW = {
  name: 'show',
  text: `select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock, current_setting('jit') as jit`,
};

const WORKER = { statement: '3s', lock: '2s', jit: 'off' };

test('applies the limits of a pool to its transactions and single statements', async () => {
  const url = (await createClone()).applicationUrl;
  const database = await open(url);
  expect(await database.transaction((em) => run(em, SHOW, []))).toEqual([WORKER]);
  expect(await database.run(SHOW, [])).toEqual([WORKER]);
  expect((await sql.raw(SHOW.text).execute(kyselyOf(database))).rows).toEqual([WORKER]);
  const api = await open(url, { limits: ROLE_LIMITS });
  expect(await api.run(SHOW, [])).toEqual([{ statement: '10s', lock: '5s', jit: 'off' }]);
});

test("ends a worker's single statement at its limit, keeps other clients' writes, and reuses its session", async () => {
  const database = await open((await createClone()).applicationUrl, { poolSize: 1 });
  const pid = { name: 'pid', text: 'select pg_backend_pid() as pid' };
  const before = await database.run(pid, []);
  await expect(database.run({ name: 'sleep', text: 'select pg_sleep(30)' }, [])).rejects.toMatchObject({
    code: '57014',
  });
  await database.run(
    { name: 'insert', text: `insert into work_item (workflow_id, kind, input) values ('one', 'retention', '{}')` },
    [],
  );
  expect(await database.run({ name: 'count', text: 'select count(*)::integer as items from work_item' }, [])).toEqual([
    { items: 1 },
  ]);
  expect(await database.run(pid, [])).toEqual(before);
});

test.each([
  ['statement_timeout', '0'],
  ['jit', 'on'],
  ['enable_seqscan', 'on'],
])('refuses to start a process if %s differs, and names it', async (name, value) => {
  const { url, applicationUrl } = await createClone();
  const [role, of] = [new URL(applicationUrl).username, new URL(applicationUrl).pathname.slice(1)];
  const owner = new pg.Client(url);
  await owner.connect();
  await owner.query(`alter role ${role} in database ${of} set ${name} = '${value}'`);
  await owner.end();
  const message = `The database session has ${name} = ${value} instead of`;
  const environment = {
    ...process.env,
    ...childEnvironment(),
    DATABASE_URL: applicationUrl,
    TEMPORAL_ADDRESS: '127.0.0.1:9',
    HTTP_PORT: '0',
  };
  const ended = spawnSync(process.execPath, [await programFile('api')], { env: environment, encoding: 'utf8' });
  expect({ status: ended.status, stderr: ended.stderr }).toEqual({
    status: 1,
    stderr: expect.stringContaining(message),
  });
  expect(await databaseState(await open(applicationUrl))).toBe('misconfigured');
  // As `migrate` does.
  await Promise.all([1, 2, 3].map(() => setRoleSettings(applicationUrl)));
  expect(await databaseState(await open(applicationUrl))).toBe('ok');
});

test('a failed connection is logged once a minute with its cause and host', async () => {
  const { log, lines } = readableLog();
  const database = await open('postgresql://gangway:secret@127.0.0.1:9/gangway', { log });
  for (let tries = 0; tries < 3; tries += 1) expect(await databaseState(database)).toBe('away');
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatchObject({
    msg: 'the connection to the database failed',
    host: '127.0.0.1:9',
    code: 'ECONNREFUSED',
    message: expect.stringContaining('ECONNREFUSED'),
  });
  expect(JSON.stringify(lines)).not.toContain('secret');
});

if (pgBouncers.length === 0) {
  process.stderr.write('NOT RUN: there is no PgBouncer, so nothing behind a pooler is tested. Install `pgbouncer`.\n');
}
const able = pgBouncers.filter(({ carriesStatements }) => carriesStatements);
if (able.length === 0) {
  process.stderr.write('NOT RUN: there is no PgBouncer 1.21 or later. Build one, and name it in PGBOUNCER.\n');
}

for (const { path } of able) {
  test(`${path}: creates accounts, and delivers notifications`, async () => {
    let direct = '';
    const service: Service = await startService({
      worker: true,
      throughProxy: async (url) => {
        direct = url;
        return startPgBouncer(path, url, { max_prepared_statements: 200, default_pool_size: 10 });
      },
      secrets: (settings) => fixedSecrets({ ...settings, DATABASE_LISTEN_URL: direct }),
    });
    ended.push(() => service.stop());
    const token = await service.supplierToken(['SUPPLIER_FR']);
    const create = async (index: number): Promise<number> => {
      const body = domesticAccount({ import_supplier: 'SUPPLIER_FR', external_account_number: `P-${index}` }, index);
      const path = '/v1/data-import/account-import-process';
      const staged = await service.call('POST', `${path}/create-or-update/`, { token, body });
      if (staged.status !== 201) return staged.status;
      const answer = await service.call('POST', `${path}/process/`, {
        token,
        body: {
          import_supplier_code: 'SUPPLIER_FR',
          external_account_number: `P-${index}`,
          operations_team_name: 'Migration',
        },
      });
      return answer.status;
    };
    const statuses = await Promise.all(Array.from({ length: 40 }, (_, index) => create(index)));
    expect(new Set(statuses)).toEqual(new Set([201]));
    const { rows } = await service.database.pool.query('select count(*)::integer as accounts from account');
    expect(rows).toEqual([{ accounts: 40 }]);
    const listening = await service.database.pool.query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = 'gangway-notifications'`,
    );
    expect(listening.rowCount).toBe(2);
    expect((await service.call('GET', '/healthz/ready')).body).toMatchObject({ database: 'ok' });
  });

  test(`${path}: applies limits to each transaction, in any session`, async () => {
    const { applicationUrl } = await createClone();
    const database = await open(await pooled(path, applicationUrl, { default_pool_size: 2 }));
    const other = await open(await pooled(path, applicationUrl), { limits: { ...LIMITS, statement_timeout: 12_000 } });
    const shown = await Promise.all(
      Array.from({ length: 20 }, (_, index) => (index % 2 ? other : database).transaction((em) => run(em, SHOW, []))),
    );
    expect(shown.map(([row]) => row!['statement'])).toEqual(shown.map((_row, index) => (index % 2 ? '12s' : '3s')));
    expect(await database.run(SHOW, [])).toEqual([WORKER]);
    await expect(
      database.transaction((em) => run(em, { name: 'sleep', text: 'select pg_sleep(30)' }, [])),
    ).rejects.toMatchObject({ code: '57014' });
  });
}

for (const { path, carriesStatements } of pgBouncers) {
  test(`${path}: refuses to start a process without support for prepared statements`, async () => {
    const { applicationUrl } = await createClone();
    const database = await open(
      await pooled(path, applicationUrl, carriesStatements ? { max_prepared_statements: 0 } : {}),
    );
    await expect(refuseUnfitSessions(database)).rejects.toThrow(
      /does not carry prepared statements.*PgBouncer 1\.21 or later/,
    );
  });

  test(`${path}: reports a rejected start-up parameter as misconfigured, and logs host and message`, async () => {
    const { log, lines } = readableLog();
    const url = await pooled(path, (await createClone()).applicationUrl);
    const unknown = Object.assign(new URL(url), { username: 'nobody_knows' }).href;
    const database = await open(unknown, { log });
    await until(async () => (await databaseState(database)) === 'misconfigured');
    expect(lines[0]).toMatchObject({
      host: new URL(url).host,
      message: expect.any(String),
      sqlstate: expect.any(String),
    });
  });
}
