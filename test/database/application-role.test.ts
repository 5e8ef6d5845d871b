import { afterAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { migrate } from '../../src/platform/database/migrate.ts';
import { sqlFiles } from '../../src/processes/sql-files.ts';
import { createTestDatabase } from '../support/test-database.ts';

const clone = await createTestDatabase();
const application: pg.Client = new pg.Client(clone.applicationUrl);
await application.connect();
afterAll(async () => {
  await application.end();
  await clone.drop();
});

const refusal = (text: string) =>
  application.query(text).then(
    () => 'done',
    (error: { code?: string }) => error.code,
  );

test('gives the service a role that is no superuser and owns nothing', async () => {
  const { rows } = await application.query(`select rolsuper, rolcreaterole, rolcreatedb, rolbypassrls, rolreplication,
    (select count(*)::int from pg_class where relowner = pg_roles.oid) + (select count(*)::int from pg_proc where proowner = pg_roles.oid) as owned
    from pg_roles where rolname = current_user`);
  expect(rows).toEqual([
    { rolsuper: false, rolcreaterole: false, rolcreatedb: false, rolbypassrls: false, rolreplication: false, owned: 0 },
  ]);
});

test('lets the role add audit entries, and neither change nor delete them', async () => {
  expect(
    await refusal(
      `insert into audit_entry (id, actor_name, action, subject) values (gen_random_uuid(), 'a', 'b.done', 'c')`,
    ),
  ).toBe('done');
  for (const change of [
    `update audit_entry set actor_name = 'somebody else'`,
    'delete from audit_entry',
    'truncate audit_entry',
    'drop table audit_entry',
    'alter table audit_entry disable trigger all',
  ]) {
    expect(await refusal(change)).toBe('42501');
  }
});

test('lets the role change no table and record no migration', async () => {
  for (const change of [
    'alter table account add column x text',
    'create table x ()',
    'truncate account',
    'delete from by_month.event_other',
    'create function x() returns int language sql as $$ select 1 $$',
    `insert into mikro_orm_migrations (name) values ('x')`,
  ]) {
    expect(await refusal(change)).toBe('42501');
  }
});

test('names a role that does not exist, and migrates nothing', async () => {
  await expect(migrate(clone.url, sqlFiles, 'nobody"; drop table account; --')).rejects.toMatchObject({
    name: 'ApplicationRoleMissing',
    message: expect.stringContaining('CREATE ROLE "nobody""; drop table account; --" LOGIN'),
  });
  expect(await migrate(clone.url, sqlFiles, new URL(clone.applicationUrl).username)).toEqual([]);
});
