import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate, migrations } from '../../src/platform/database/migrate.ts';
import { sqlFiles } from '../../src/processes/sql-files.ts';

const STEPS = migrations.map((migration) => migration.name);
const ALL = [...STEPS, ...sqlFiles.map(({ path }) => path)];
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

test('migrates an empty database once when six processes start together', async () => {
  const done = await Promise.all(Array.from({ length: 6 }, () => migrate(url, sqlFiles)));
  expect(done.filter((steps) => steps.length > 0)).toEqual([ALL]);
  expect((await query(url, 'select name from mikro_orm_migrations order by id')).map((row) => row['name'])).toEqual(
    STEPS,
  );
});

test('changes nothing in a database that is up to date', async () => {
  expect(await migrate(url, sqlFiles)).toEqual(ALL);
  expect(await migrate(url, sqlFiles)).toEqual([]);
});

test('rolls back a migration that fails, and succeeds at the next attempt', async () => {
  await query(url, 'create table account (id integer)');
  await expect(migrate(url, sqlFiles)).rejects.toThrow('account');
  expect(
    await query(url, `select tablename from pg_tables where schemaname = 'public' and tablename not like 'mikro%'`),
  ).toEqual([{ tablename: 'account' }]);
  await query(url, 'drop table account');
  expect(await migrate(url, sqlFiles)).toEqual(ALL);
});

test('does not create a database that does not exist', async () => {
  const wrong = url.replace('/empty_', '/mistyped_');
  await expect(migrate(wrong, sqlFiles)).rejects.toThrow('does not exist');
});

test('replaces a function when its file has changed, and only then', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'gangway-sql-'));
  try {
    const file = { path: 'probe.sql', url: pathToFileURL(join(folder, 'probe.sql')) };
    const write = (text: string) => writeFile(file.url, text);
    const answer = async () => (await query(url, 'select probe() as answer'))[0]!['answer'];
    await write('create or replace function probe() returns integer language sql as $$ select 1 $$;');
    expect(await migrate(url, [...sqlFiles, file])).toEqual([...ALL, 'probe.sql']);
    expect(await answer()).toBe(1);
    await write('create or replace function probe() returns integer language sql as $$ select 2 $$;');
    expect(await migrate(url, [...sqlFiles, file])).toEqual(['probe.sql']);
    expect(await answer()).toBe(2);
    expect(await migrate(url, [...sqlFiles, file])).toEqual([]);
    // A file that fails leaves the function unchanged, and is retried.
    await write('create or replace function probe() returns integer language sql as $$ select $$;');
    await expect(migrate(url, [file])).rejects.toThrow('return type mismatch');
    expect(await answer()).toBe(2);
    await write('create or replace function probe() returns integer language sql as $$ select 3 $$;');
    expect(await migrate(url, [file])).toEqual(['probe.sql']);
    expect(await answer()).toBe(3);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('has a file for each function of the database, and one function in each file', async () => {
  await migrate(url, sqlFiles);
  const made = await query(
    url,
    "select distinct proname as name from pg_proc where pronamespace = 'public'::regnamespace",
  );
  expect(made.map(({ name: made }) => `${String(made).replaceAll('_', '-')}.sql`).sort()).toEqual(
    sqlFiles.map(({ path }) => basename(path)).sort(),
  );
});
