import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Migrator } from '@mikro-orm/migrations';
import { MikroORM } from '@mikro-orm/postgresql';
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

test('of six that migrate one empty database at once, one does it and all succeed', async () => {
  const done = await Promise.all(Array.from({ length: 6 }, () => migrate(url, sqlFiles)));
  expect(done.filter((steps) => steps.length > 0)).toEqual([ALL]);
  expect((await query(url, 'select name from mikro_orm_migrations order by id')).map((row) => row['name'])).toEqual(
    STEPS,
  );
});

test('a database that is up to date is left as it is', async () => {
  expect(await migrate(url, sqlFiles)).toEqual(ALL);
  expect(await migrate(url, sqlFiles)).toEqual([]);
});

test('a step that fails leaves nothing of itself, and the next try succeeds', async () => {
  await query(url, 'create table account (id integer)');
  await expect(migrate(url, sqlFiles)).rejects.toThrow('account');
  expect(
    await query(url, `select tablename from pg_tables where schemaname = 'public' and tablename not like 'mikro%'`),
  ).toEqual([{ tablename: 'account' }]);
  await query(url, 'drop table account');
  expect(await migrate(url, sqlFiles)).toEqual(ALL);
});

test('a mistyped database is not made', async () => {
  const wrong = url.replace('/empty_', '/mistyped_');
  await expect(migrate(wrong, sqlFiles)).rejects.toThrow('does not exist');
});

test('a function is made anew when its text has changed, and only then', async () => {
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
    // One that cannot be run leaves what was there, and is tried again.
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

test('each function of the database stands in a file, and each file makes one', async () => {
  await migrate(url, sqlFiles);
  const made = await query(
    url,
    "select distinct proname as name from pg_proc where pronamespace = 'public'::regnamespace",
  );
  expect(made.map(({ name: made }) => `${String(made).replaceAll('_', '-')}.sql`).sort()).toEqual(
    sqlFiles.map(({ path }) => basename(path)).sort(),
  );
});

/** Brings the database to the schema that it had after a step. */
async function migrateTo(step: string): Promise<void> {
  const migrationsList = migrations.map((migration) => ({ name: migration.name, class: migration }));
  const orm = await MikroORM.init({
    clientUrl: url,
    entities: [],
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: { migrationsList, snapshot: false, disableForeignKeys: false },
    logger: () => {},
  });
  await orm.migrator.up({ to: step });
  await orm.close(true);
}

test('what was stored before tables and states were renamed is kept, by the new names', async () => {
  await migrateTo('M029StepsAndNewestBatches');
  await query(
    url,
    `insert into unfinished_work (workflow_id, kind, input, state) values
       ('switch-supplier/A', 'switch-supplier', '{}', 'news'), ('switch-supplier/B', 'switch-supplier', '{}', 'silent');
     insert into organisation (id, name) values (gen_random_uuid(), 'Before');
     insert into population_batch (id, organisation_id, customer_category, warnings) select gen_random_uuid(), id, 'Domestic', '[]' from organisation;
     insert into population_share (batch_id, network_operator, accepted, imported, errored) select id, 'enedis', 3, 0, 0 from population_batch;
     insert into population_part (batch_id, network_operator, part, identifiers) select id, 'enedis', 1, '{1,2}' from population_batch;
     insert into look_up (network_operator, identifier, state, tries, set_aside_at, due_at) values ('enedis', '3', 'set-aside', 5, now(), now());
     insert into population_request (batch_id, network_operator, look_up_id, state) select b.id, 'enedis', l.id, 'set-aside' from population_batch b, look_up l;
     insert into market_message (message_id, source, import_supplier, external_account_number, outcome, occurred_at, effect)
       values ('M', 'message', 'S', 'E', 'ACCEPTED', now(), 'set-aside');
     insert into look_up (network_operator, identifier, state, settled_at) values ('enedis', '4', 'imported', '2026-01-02T03:04:05Z')`,
  );
  expect(await migrate(url, sqlFiles)).toContain('M030WorkItemAndPopulationRenames');
  expect(await query(url, 'select workflow_id, state from work_item order by 1')).toEqual([
    { workflow_id: 'switch-supplier/A', state: 'signalled' },
    { workflow_id: 'switch-supplier/B', state: 'silent' },
  ]);
  expect(
    await query(
      url,
      `select p.accepted, c.chunk, c.identifiers, l.state, l.tries, l.deferred_at is not null as is_deferred, r.state as request, m.effect
       from population_operator_progress p join population_chunk c using (batch_id, network_operator) join population_request r using (batch_id, network_operator)
         join look_up l on l.id = r.look_up_id, market_message m`,
    ),
  ).toEqual([
    {
      accepted: 3,
      chunk: 1,
      identifiers: ['1', '2'],
      state: 'deferred',
      tries: 5,
      is_deferred: true,
      request: 'deferred',
      effect: 'dismissed',
    },
  ]);
  expect(await query(url, "select completed_at from look_up where identifier = '4'")).toEqual([
    { completed_at: new Date('2026-01-02T03:04:05Z') },
  ]);
  const OLD = 'settled|unfinished_work|population_(share|part)|set.aside|stray|prompt';
  expect(
    await query(
      url,
      `select name from (select conname as name from pg_constraint union select indexname from pg_indexes) named where name ~ '${OLD}'
       union select proname from pg_proc where pronamespace = 'public'::regnamespace and prosrc ~ '${OLD}'`,
    ),
  ).toEqual([]);
});
