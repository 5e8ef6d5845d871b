import { afterAll, expect, test } from '@jest/globals';
import { EntitySchema } from '@mikro-orm/core';
import { openDatabase } from '../../src/platform/database/database.ts';
import { entities } from '../../src/processes/entities.ts';
import { createLog } from '../../src/platform/log.ts';
import { createTestDatabase } from '../support/test-database.ts';

interface Column {
  type: string;
  nullable: boolean;
  primary: boolean;
}
type Tables = Record<string, Record<string, Column>>;

const clone = await createTestDatabase();
const database = await openDatabase({
  url: clone.url,
  entities,
  poolSize: 1,
  log: createLog({ level: 'silent', process: 'test' }),
  applicationName: 'test',
});
afterAll(async () => {
  await database.close();
  await clone.drop();
});

test('keeps entities and migrated tables equal, column by column', async () => {
  const mapped = mappedTables();
  const migrated = await migratedTables();
  expect(Object.keys(mapped).sort()).toEqual(Object.keys(migrated).sort());
  expect(mapped).toEqual(migrated);
});

test('has one entity for each table', () => {
  expect(Object.keys(mappedTables())).toHaveLength(entities.length);
});

function mappedTables(): Tables {
  const tables: Tables = {};
  const classes = entities.map((entity) => (entity instanceof EntitySchema ? entity.meta.class : entity));
  for (const meta of database.em().getMetadata().getAll().values()) {
    if (!classes.includes(meta.class)) continue;
    const columns: Record<string, Column> = {};
    for (const property of meta.props) {
      for (const [index, name] of property.fieldNames.entries()) {
        columns[name] = {
          type: nameOfType(property.columnTypes[index] as string),
          nullable: property.nullable ?? false,
          primary: property.primary ?? false,
        };
      }
    }
    tables[meta.tableName] = columns;
  }
  return tables;
}

/** The ORM writes a type as a migration would; Postgres reports its full name. */
function nameOfType(type: string): string {
  const names: Record<string, string> = { int: 'integer', timestamptz: 'timestamp with time zone', decimal: 'numeric' };
  // The migration sets the precision: 6 is the default for times, and money is unlimited.
  const plain = type.replace(/\(.*\)$/, '');
  return names[plain] ?? plain;
}

async function migratedTables(): Promise<Tables> {
  const { rows } = await database.pool.query<{
    table: string;
    column: string;
    type: string;
    nullable: boolean;
    primary: boolean;
  }>(`
    select t.relname as table, c.attname as column, format_type(c.atttypid, c.atttypmod) as type, not c.attnotnull as nullable,
      coalesce(c.attnum = any (k.conkey), false) as primary
    from pg_class t
    join pg_attribute c on c.attrelid = t.oid and c.attnum > 0 and not c.attisdropped
    left join pg_constraint k on k.conrelid = t.oid and k.contype = 'p'
    where t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p') and t.relname not in ('mikro_orm_migrations', 'applied_sql_file')`);
  const tables: Tables = {};
  for (const { table, column, ...about } of rows) (tables[table] ??= {})[column] = about;
  return tables;
}
