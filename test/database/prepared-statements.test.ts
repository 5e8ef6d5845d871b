import { afterAll, beforeAll, expect, test } from '@jest/globals';
import pg from 'pg';
import { MikroORM } from '@mikro-orm/postgresql';
import { erasuresOf, whoIs } from '../../src/personal-data/erase/erase-person.store.ts';
import { entities } from '../../src/processes/entities.ts';
import { preparedQueries, textOf } from '../support/prepared-queries.ts';
import { createTestDatabase, type TestDatabase } from '../support/test-database.ts';

// Describes each prepared statement on the migrated database through the driver, and compares its columns with the
// row type that the code declares for it.

interface Column {
  name: string;
  dataTypeID: number;
}
interface Description {
  parameters: number;
  columns: Column[];
}

/** Parses and describes a statement without executing it, as the driver does before the first execution. */
function describeStatement(client: pg.Client, text: string): Promise<Description> {
  return new Promise((resolve, reject) => {
    const described: Description = { parameters: 0, columns: [] };
    let fault: Error | undefined;
    client.query({
      submit: (connection: pg.Connection) => {
        connection.once('parameterDescription', ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
          described.parameters = dataTypeIDs.length;
        });
        // The second arguments exist in the typings only.
        connection.parse({ name: '', text, types: [] }, true);
        connection.describe({ type: 'S' }, true);
        connection.sync();
      },
      handleRowDescription: ({ fields }: { fields: Column[] }) => void (described.columns = fields),
      handleError: (error: Error) => void (fault = error),
      handleReadyForQuery: () => (fault === undefined ? resolve(described) : reject(fault)),
    });
  });
}

/** TypeScript types into which the driver converts the types of Postgres; all others are strings. */
const READ_AS: Record<number, RegExp> = {
  [pg.types.builtins.BOOL]: /boolean|true|false/,
  [pg.types.builtins.INT2]: /number/,
  [pg.types.builtins.INT4]: /number/,
  [pg.types.builtins.FLOAT8]: /number/,
  [pg.types.builtins.TIMESTAMPTZ]: /Date/,
  [pg.types.builtins.INT8]: /string/,
  [pg.types.builtins.NUMERIC]: /string/,
  [pg.types.builtins.DATE]: /string/,
};
/** Array types and jsonb have numbers from here. */
const ARRAYS_FROM = 1_000;
const SCALARS = /\b(?:number|boolean|Date)\b/;

/**
 * Types of the members of the row types that a file declares for a statement, by name; those of optional members
 * begin with `?`.
 */
function declaredRows(path: string, constant: string): Map<string, string>[] {
  const source = textOf(path);
  const calls = source.matchAll(/\brun<(\{[^<>]*?\}|\w+)>\(\s*[^,()]+(?:\([^()]*\))?,\s*([A-Z]\w*)\b/g);
  return [...calls]
    .filter(([, , name]) => name === constant)
    .flatMap(([, type]) => {
      const body = type!.startsWith('{') ? type!.slice(1, -1) : interfaceOf(source, type!);
      return body === undefined ? [] : [membersOf(body)];
    });
}

/** The body of an interface that extends no type with members. */
function interfaceOf(source: string, name: string): string | undefined {
  return new RegExp(
    `^(?:export )?interface ${name}(?: extends (?:QueryResultRow|Record<string, unknown>))? \\{\n([^]*?)^\\}`,
    'm',
  ).exec(source)?.[1];
}

function membersOf(body: string): Map<string, string> {
  const code = body.replaceAll(/\/\*\*?[^]*?\*\/|\/\/.*/g, '');
  const members = code.split(/[;\n]/).map((line) => /^\s*(?:readonly )?'?(\w+)'?(\??):\s*(.+?),?\s*$/.exec(line));
  return new Map(
    members.flatMap((found) => (found === null ? [] : [[found[1]!, `${found[2]!}${found[3]!}`] as const])),
  );
}

/** Differences between the columns of a statement and a declared row; empty if they agree. */
function differences({ columns }: Description, declared: Map<string, string>): string[] {
  const found = new Map(columns.map(({ name, dataTypeID }) => [name, dataTypeID]));
  return [
    ...[...declared]
      .filter(([name, type]) => !found.has(name) && !type.startsWith('?'))
      .map(([name]) => `${name} is declared, but is not a column`),
    ...[...found].flatMap(([name, oid]) => {
      const type = declared.get(name);
      if (type === undefined) return [`the column ${name} is not declared`];
      const read = READ_AS[oid];
      const isRead = read?.test(type) ?? (oid === pg.types.builtins.JSON || oid >= ARRAYS_FROM || !SCALARS.test(type));
      return isRead ? [] : [`${name} is declared as ${type}, and has type ${oid}`];
    }),
  ];
}

let clone: TestDatabase;
let client: pg.Client;
beforeAll(async () => {
  clone = await createTestDatabase();
  client = new pg.Client(clone.applicationUrl);
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await clone.drop();
});

test('declares a fitting row type for each prepared statement', async () => {
  const faults: string[] = [];
  let compared = 0;
  for (const statement of await preparedQueries()) {
    const { path } = statement;
    const at = `${path}: ${statement.name}`;
    try {
      const description = await describeStatement(client, statement.text);
      const highest = Math.max(0, ...[...statement.text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
      if (description.parameters !== highest) faults.push(`${at}: has ${description.parameters} parameters`);
      for (const declared of declaredRows(path, statement.constant)) {
        compared += 1;
        faults.push(...differences(description, declared).map((difference) => `${at}: ${difference}`));
      }
    } catch (error) {
      faults.push(`${at}: ${(error as Error).message}`);
    }
  }
  expect(faults).toEqual([]);
  expect(compared).toBeGreaterThan(30);
});

test('can erase every personal column', async () => {
  const orm = new MikroORM({ dbName: 'none', entities: [...entities] });
  const who = whoIs(
    { processId: '', accountId: null, customers: 1, isBeingCreated: false },
    { importSupplier: 'S', externalAccountNumber: 'A', customer: null },
  );
  const kysely = orm.em.getKysely();
  const erasures = erasuresOf(orm.getMetadata()).map(({ table, erase, count }) => ({
    table,
    texts: [erase(who), count(who)].map((statement) => statement.compile(kysely).sql),
  }));
  for (const text of erasures.flatMap(({ texts }) => texts)) {
    expect(await describeStatement(client, text)).toMatchObject({ parameters: 5 });
  }
  const notNull = await client.query(
    `select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public' and is_nullable = 'NO'`,
  );
  const required = new Set(notNull.rows.map(({ name }) => name));
  const emptied = erasures.flatMap(({ table, texts: [erase] }) =>
    [...erase!.matchAll(/(?:set|,) (\w+) = null/g)].map(([, column]) => `${table}.${column}`),
  );
  expect(emptied.filter((name) => required.has(name))).toEqual([]);
  expect(emptied.length).toBeGreaterThan(20);
});

test('gives each statement its own name', async () => {
  const statements = await preparedQueries();
  const texts = new Map<string, string>();
  const reused = statements.filter(({ name, text }) => (texts.get(name) ?? text) !== text || !texts.set(name, text));
  expect(reused.map(({ path, name }) => `${path}: ${name}`)).toEqual([]);
});
