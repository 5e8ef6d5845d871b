import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate, migrations } from '../../src/platform/database/migrate.ts';

const ALL = migrations.map((migration) => migration.name);
const admin = process.env['TEST_DATABASE_URL'] as string;

let name: string;
let url: string;
beforeEach(async () => {
  name = `empty_${randomUUID().replaceAll('-', '')}`;
  await query(admin, `create database ${name}`);
  const address = new URL(admin);
  address.pathname = `/${name}`;
  url = address.href;
});
afterEach(() => query(admin, `drop database if exists ${name} with (force)`));

async function query(address: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(address);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

test('of six that migrate one empty database at once, one does it and all succeed', async () => {
  const done = await Promise.all(Array.from({ length: 6 }, () => migrate(url)));
  expect(done.filter((steps) => steps.length > 0)).toEqual([ALL]);
  expect((await query(url, 'select name from mikro_orm_migrations order by id')).map((row) => row['name'])).toEqual(
    ALL,
  );
});

test('a database that is up to date is left as it is', async () => {
  expect(await migrate(url)).toEqual(ALL);
  expect(await migrate(url)).toEqual([]);
});

test('a step that fails leaves nothing of itself, and the next try succeeds', async () => {
  await query(url, 'create table account (id integer)');
  await expect(migrate(url)).rejects.toThrow('account');
  expect(
    await query(url, `select tablename from pg_tables where schemaname = 'public' and tablename not like 'mikro%'`),
  ).toEqual([{ tablename: 'account' }]);
  await query(url, 'drop table account');
  expect(await migrate(url)).toEqual(ALL);
});

test('a mistyped database is not made', async () => {
  const wrong = url.replace('/empty_', '/mistyped_');
  await expect(migrate(wrong)).rejects.toThrow('does not exist');
});
