import pg from 'pg';
import { afterAll, expect, test } from '@jest/globals';
import { tablesOfAccount } from '../../src/withdrawal/withdraw-page.store.ts';
import { createTestDatabase } from '../support/test-database.ts';

const clone = await createTestDatabase();
const client = new pg.Client(clone.url);
await client.connect();
afterAll(async () => {
  await client.end();
  await clone.drop();
});

test('lists every table whose rows refer to an account, directly or through others', async () => {
  const { rows } = await client.query<{ name: string }>(`
    with recursive below (id) as (
      select 'account'::regclass::oid
      union select c.conrelid from pg_constraint c join below b on c.confrelid = b.id where c.contype = 'f')
    select id::regclass::text as name from below where id <> 'account'::regclass order by 1`);
  expect(rows.map(({ name }) => name)).toEqual([...tablesOfAccount].sort());
});
