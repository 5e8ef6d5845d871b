import { randomUUID } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
import pg from 'pg';
import { migrations } from '../../src/platform/database/migrate.ts';
import { calledFunctions } from '../support/called-functions.ts';
import { changesThatBreak, readSchema } from '../support/schema-changes.ts';
import { createTestDatabase } from '../support/test-database.ts';

// During a rollout, processes of the previous release use the new schema (docs/running/upgrades.md).

/**
 * A migration that breaks the previous release states why it is still safe, under the sentence that this test
 * reports.
 */
type WithReasons = { olderReleases?: Readonly<Record<string, string>> };

const clone = await createTestDatabase();
const client: pg.Client = new pg.Client(clone.url);
await client.connect();
await client.query(`create table older (id integer primary key, name text not null, kind text default 'a', sent text,
      constraint older_kind check (kind in ('a', 'b')));
    create unique index older_name on older (lower(name));
    create function older_answer(one integer) returns integer language sql as 'select 1'`);
afterAll(async () => {
  await client?.end();
  await clone?.drop();
});

/** The incompatibilities of a change, which is rolled back afterwards. */
async function foundOf(change: string): Promise<string[]> {
  const before = await readSchema(client);
  await client.query('begin');
  try {
    await client.query(change);
    return changesThatBreak(before, await readSchema(client));
  } finally {
    await client.query('rollback');
  }
}

test.each([
  ['drop table older', ['table older is gone']],
  ['alter table older rename to younger', ['table older is gone']],
  [`do $$ begin execute 'alter table older rename column sent to posted'; end $$`, ['older.sent is gone']],
  ['alter table older drop column sent', ['older.sent is gone']],
  ['alter table older alter column sent type varchar(5)', ['older.sent is character varying(5), not text']],
  ['alter table older alter column sent set not null', ['older.sent must not be null']],
  ['alter table older alter column name drop not null', ['older.name may be null']],
  ['alter table older add column wanted text not null', ['older.wanted is now required']],
  [
    'alter table older alter column kind set not null, alter column kind drop default',
    ['older.kind must not be null', 'older.kind is now required'],
  ],
  [
    `alter table older drop constraint older_kind, add constraint older_kind check (kind in ('a', 'c'))`,
    [`older has the new constraint CHECK ((kind = ANY (ARRAY['a'::text, 'c'::text])))`],
  ],
  [`alter table older add check (sent <> '')`, [`older has the new constraint CHECK ((sent <> ''::text))`]],
  ['alter table older add unique (sent)', [expect.stringMatching(/^older has the new constraint CREATE UNIQUE INDEX/)]],
  [
    'alter table older add foreign key (sent) references operations_team (name)',
    [expect.stringMatching(/FOREIGN KEY/)],
  ],
  ['drop index older_name', [expect.stringMatching(/^older loses CREATE UNIQUE INDEX .*lower\(name\)/)]],
  ['drop function older_answer', ['function older_answer(one integer) is gone']],
  [
    `drop function older_answer; create function older_answer(one integer, two integer) returns integer language sql as 'select 1'`,
    ['function older_answer(one integer) is gone'],
  ],
  [
    `drop function older_answer; create function older_answer(one integer) returns text language sql as $$ select 'x' $$`,
    ['function older_answer(one integer) returns text, not integer'],
  ],
])('detects a change that breaks the previous release: %s', async (change, faults) => {
  expect(await foundOf(change)).toEqual(faults);
});

test.each([
  'create table younger (id integer primary key)',
  'alter table older add column more text, add column much integer not null default 0',
  `alter table older add column more text check (more <> '')`,
  `alter table older drop constraint older_kind, add constraint older_kinds check (kind in ('a', 'b', 'c'))`,
  'alter table older drop constraint older_kind',
  'create index on older (sent)',
  `create or replace function older_answer(one integer) returns integer language sql as 'select 2'`,
  `create function younger_answer() returns integer language sql as 'select 2'`,
])('accepts a change that does not break the previous release: %s', async (change) => {
  expect(await foundOf(change)).toEqual([]);
});

test('keeps the previous release working after each migration, or states the reason in the migration', async () => {
  const found: string[] = [];
  await withEmptyDatabase(async (database, migrateTo) => {
    await migrateTo(migrations[0]!.name);
    for (const migration of migrations.slice(1)) {
      const before = await readSchema(database);
      await migrateTo(migration.name);
      const reasons = Object.keys((migration as WithReasons).olderReleases ?? {});
      const faults = changesThatBreak(before, await readSchema(database));
      found.push(
        ...faults.filter((fault) => !reasons.includes(fault)).map((fault) => `${migration.name}: ${fault}`),
        ...reasons.filter((fault) => !faults.includes(fault)).map((fault) => `${migration.name} does not: ${fault}`),
      );
    }
  });
  // Expand first: add, write both, and remove a release later. Or state the reason in `static readonly olderReleases = { '<sentence>': '<why>' }`.
  expect(found).toEqual([]);
});

async function withEmptyDatabase(
  work: (database: pg.Client, migrateTo: (step: string) => Promise<void>) => Promise<void>,
): Promise<void> {
  const admin = process.env['TEST_DATABASE_URL'] as string;
  const name = `steps_${randomUUID().replaceAll('-', '')}`;
  const url = Object.assign(new URL(admin), { pathname: `/${name}` }).href;
  await client.query(`create database ${name}`);
  const database = new pg.Client(url);
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations.map((migration) => ({ name: migration.name, class: migration })),
      snapshot: false,
      disableForeignKeys: false,
    },
    logger: () => {},
  });
  try {
    await database.connect();
    await work(database, async (step) => void (await orm.migrator.up({ to: step })));
  } finally {
    await orm.close(true);
    await database.end();
    await client.query(`drop database ${name} with (force)`);
  }
}

test('keeps each function that the previous release calls, with its parameters', async () => {
  const schema = await readSchema(client);
  const now = [...schema.functions]
    .filter(([signature, result]) => result !== 'trigger' && !signature.startsWith('older_'))
    .map(([signature, result]) => `${signature} -> ${result}`);
  // A function with other parameters is a new function; the old one stays for a release. New functions are listed, too.
  expect(now.toSorted()).toEqual(calledFunctions.toSorted());
});
