import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { personalData } from '../../src/personal-data/catalogue.rules.ts';
import { createTestDatabase } from '../support/test-database.ts';

let clone: Awaited<ReturnType<typeof createTestDatabase>>;
let columns: string[];
beforeAll(async () => {
  clone = await createTestDatabase();
  const client = new pg.Client(clone.url);
  await client.connect();
  const { rows } = await client.query<{ name: string }>(`
    select c.table_name || '.' || c.column_name as name from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
    where c.table_schema = 'public' and t.table_type = 'BASE TABLE'`);
  columns = rows.map(({ name }) => name);
  await client.end();
});
afterAll(async () => {
  await clone.drop();
});

test('every column of the database is in the catalogue of personal data once, and nothing else is', () => {
  const listed = [...personalData].flatMap(([table, { erased = {}, erasedElsewhere = '', kept }]) =>
    [...Object.keys(erased), ...erasedElsewhere.split(' '), ...kept.split(' ')]
      .filter((column) => column !== '')
      .map((column) => `${table}.${column}`),
  );
  expect(listed.toSorted()).toEqual(columns.toSorted());
});

test('what is erased belongs to an account', () => {
  const homeless = [...personalData].filter(([, { of, erased }]) => erased !== undefined && of === undefined);
  expect(homeless).toEqual([]);
});
