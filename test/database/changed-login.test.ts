import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { pino } from 'pino';
import { roleSettingsSql } from '../../src/platform/database/session-settings.ts';
import { followSecrets } from '../../src/platform/follow-secrets.ts';
import { startService } from '../support/harness.ts';
import { until } from '../support/until.ts';

// Changes the password of the service's database role while requests run.

const ROLE = `rotated_${randomUUID().slice(0, 8)}`;
const OTHER_ROLE = `${ROLE}_b`;
const logged: string[] = [];
const log = pino(
  { level: 'info' },
  new Writable({
    write: (line: Buffer, _encoding, done) => {
      logged.push((JSON.parse(line.toString()) as { msg: string }).msg);
      done();
    },
  }),
);

let loginAs: (role: string, password: string) => string;
const asOwner = async (text: string) => {
  const client = new pg.Client(process.env['TEST_DATABASE_URL']);
  await client.connect();
  await client.query(text).finally(() => client.end());
};
const folder = await mkdtemp(join(tmpdir(), 'gangway-secrets-'));
const file: string = join(folder, 'database-url');
const service = await startService({
  log,
  settings: { HTTP_POOL_SIZE: '3' },
  throughProxy: async (applicationUrl) => {
    const { username: group } = new URL(applicationUrl);
    await asOwner(`create role ${ROLE} login password 'one' in role ${group};
        create role ${OTHER_ROLE} login password 'other' in role ${group}`);
    const name = new URL(applicationUrl).pathname.slice(1);
    await asOwner(roleSettingsSql(ROLE, name) + roleSettingsSql(OTHER_ROLE, name));
    loginAs = (role, password) => Object.assign(new URL(applicationUrl), { username: role, password }).href;
    await writeFile(file, loginAs(ROLE, 'one'));
    return { url: loginAs(ROLE, 'one'), stop: async () => {} };
  },
  secrets: (settings) => followSecrets({ settings, files: new Map([['DATABASE_URL', file]]), log, everyMs: 50 }),
});
const token = await service.supplierToken(['SUPPLIER_FR']);
afterAll(async () => {
  await service.stop();
  await asOwner(`drop role if exists ${ROLE}; drop role if exists ${OTHER_ROLE}`);
  await rm(folder, { recursive: true, force: true });
});

const list = () => service.call('GET', '/v1/data-import/all-account-import-processes/SUPPLIER_FR/', { token });
/** Connections of the service, by role. */
const sessions = async () => {
  const { rows } = await service.database.pool.query<{ pid: number; role: string }>(
    `select pid, usename as role from pg_stat_activity
     where datname = current_database() and application_name in ('gangway-http', 'gangway-lists')`,
  );
  return rows;
};

/** Without a pause the clients would use the whole processor while the test waits. */
const CLIENT_PAUSE_MS = 20;

/** Sends five requests concurrently until `work` ends. @returns the distinct statuses */
async function underLoad(work: () => Promise<void>): Promise<number[]> {
  let isOver = false;
  const statuses = new Set<number>();
  const clients = Array.from({ length: 5 }, async () => {
    while (!isOver) {
      statuses.add((await list()).status);
      await sleep(CLIENT_PAUSE_MS);
    }
  });
  await work().finally(() => {
    isOver = true;
  });
  await Promise.all(clients);
  return [...statuses];
}

test.each([
  ['the file first', ROLE, 'two', true],
  ['the database first', ROLE, 'three', false],
])('%s: rejects no request and opens new connections', async (_name, role, password, isFileFirst) => {
  const before = new Set((await sessions()).map(({ pid }) => pid));
  logged.length = 0;
  const statuses = await underLoad(async () => {
    const change = [
      () => writeFile(file, loginAs(role, password)),
      () => asOwner(`alter role ${role} password '${password}'`),
    ];
    const [first, second] = isFileFirst ? change : change.toReversed();
    await first!();
    if (isFileFirst) await until(() => logged.some((line) => line.includes('does not take the new DATABASE_URL yet')));
    await second!();
    await until(async () => {
      const now = await sessions();
      const isReached = logged.includes('the database is reached by the new DATABASE_URL');
      return isReached && now.length > 0 && now.every(({ pid }) => !before.has(pid));
    });
  });
  expect(statuses).toEqual([200]);
});

test('replaces the role by another one, which allows to lock the first one out', async () => {
  const statuses = await underLoad(async () => {
    await writeFile(file, loginAs(OTHER_ROLE, 'other'));
    await until(async () => (await sessions()).every(({ role }) => role === OTHER_ROLE));
    await asOwner(`alter role ${ROLE} nologin`);
    await list();
  });
  expect(statuses).toEqual([200]);
});

test('keeps the connections when the new address is invalid', async () => {
  logged.length = 0;
  await writeFile(file, 'no address');
  await until(() => logged.includes('a new secret cannot be used; the one before stays in use'));
  expect((await list()).status).toBe(200);
});

test('reads a password that changed without notice from its file when the database rejects the old one', async () => {
  await asOwner(`alter role ${OTHER_ROLE} password 'four'`);
  await service.database.pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where usename = $1 and datname = current_database()',
    [OTHER_ROLE],
  );
  await until(async () => (await list()).status === 503);
  await writeFile(file, loginAs(OTHER_ROLE, 'four'));
  await until(async () => (await list()).status === 200);
});
