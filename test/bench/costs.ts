import { setTimeout as sleep } from 'node:timers/promises';
import { issueToken } from '../support/issue-token.ts';
import { leastOf, meteredPostgres, openMeter, type Cost, type Meter } from './cost-meter.ts';
import { operationsOf, type Operation, type Scene } from './cost-operations.ts';
import { openThrottle } from './population.ts';
import { storeResults } from './results.ts';
import { startStack } from './stack.ts';
import { seed, withClient } from './stage-set.ts';
import { describeSurroundings } from './machine.ts';

/*
 * `npm run bench -- costs`: what each operation costs each process, Postgres and Temporal, with API and worker as
 * separate processes; and how many bytes an account takes. Runs for about twenty minutes. BENCH_ROUNDS (2): number of
 * rounds; the lowest processor time counts. BENCH_SCALE (1) scales all counts, BENCH_WORKS (such as `validate,stage`)
 * selects the operations whose names begin with one of these.
 */
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 2);
const WORKS = (process.env['BENCH_WORKS'] ?? '').split(',');
const SETTLE_MS = 10_000;
const IDLE_MS = 20_000;
/** Tables that grow by less than this are not listed. */
const GROWN_MIN = 10;
const settings = {
  LOG_LEVEL: 'info',
  // The dispatcher's round begins soon, and limits per key do not apply.
  DISPATCH_EVERY_MS: '5000',
  PAYMENT_VERIFICATIONS_PER_MINUTE: '1000000',
  WEBHOOK_PRIVATE_ADDRESSES: 'true',
};

/** Bytes by which tables and indexes grow for each operation, in all and by table. */
interface Grown {
  operation: string;
  tables: number;
  indexes: number;
  byTable: Record<string, { tables: number; indexes: number }>;
}

/** Measures each operation, prints a table and stores it. */
export async function benchCosts(print: (line?: string) => void): Promise<void> {
  print('Starting API and worker as separate processes ...');
  const stack = await startStack(settings, meteredPostgres);
  try {
    const token = await seed(stack.database);
    const operatorToken = await withClient(stack.database, (client) => issueToken(client, 'operator', []));
    await openThrottle(stack.database);
    const scene: Scene = { stack, http: stack.apis[0]!, token, operatorToken, print };
    const operations = operationsOf(scene).filter(({ name }) => WORKS.some((wanted) => name.startsWith(wanted)));
    // Measured first: rolled-back rows of a rehearsal leave space that later rows would fill.
    const grown: Grown[] = [];
    for (const operation of operations.filter(({ isMeasuredInBytes }) => isMeasuredInBytes)) {
      print(`bytes of: ${operation.name}`);
      grown.push(await grownBy(scene, operation));
    }
    for (const { count, prepare } of operations) await (await prepare(Math.ceil(count / 2)))();
    await sleep(SETTLE_MS);
    const meter = await openMeter(stack, IDLE_MS);
    const costs = [meter.idle, ...(await measureAll(operations, meter, print))];
    const surroundings = await describeSurroundings(stack.database);
    print(`${surroundings.machine}\n${surroundings.versions}\ncommit ${surroundings.commit}\n`);
    for (const line of describeCosts(costs)) print(line);
    for (const line of grown.flatMap(describeGrown)) print(line);
    print(`\nstored as ${storeResults({ ...surroundings, measured: [], costs, grown })}`);
  } finally {
    await stack.stop();
  }
}

async function measureAll(
  operations: readonly Operation[],
  meter: Meter,
  print: (line: string) => void,
): Promise<Cost[]> {
  const rounds = new Map<string, Cost[]>(operations.map(({ name }) => [name, []]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const { name, count, prepare } of operations) {
      print(`round ${round + 1} of ${ROUNDS}: ${name}`);
      rounds.get(name)!.push(await meter.measure(name, count, await prepare(count)));
    }
  }
  return [...rounds.values()].map(leastOf);
}

/** Growth of the tables for each operation. */
async function grownBy({ stack }: Scene, { name, count, prepare }: Operation): Promise<Grown> {
  const sizes = () =>
    withClient(stack.database, async (client) => {
      await client.query('vacuum');
      const { rows } = await client.query<{ name: string; tables: string; indexes: string }>(
        `select relname as name, pg_table_size(relid) as tables, pg_indexes_size(relid) as indexes from pg_stat_user_tables`,
      );
      return new Map(rows.map((row) => [row.name, { tables: Number(row.tables), indexes: Number(row.indexes) }]));
    });
  const work = await prepare(count);
  const before = await sizes();
  await work();
  const byTable: Grown['byTable'] = {};
  for (const [table, { tables, indexes }] of await sizes()) {
    const first = before.get(table) ?? { tables: 0, indexes: 0 };
    const grown = { tables: (tables - first.tables) / count, indexes: (indexes - first.indexes) / count };
    if (grown.tables + grown.indexes >= GROWN_MIN) byTable[table] = grown;
  }
  const sum = (part: 'tables' | 'indexes') => Object.values(byTable).reduce((total, grown) => total + grown[part], 0);
  return { operation: name, tables: sum('tables'), indexes: sum('indexes'), byTable };
}

/** A table; processor time in microseconds. */
export function describeCosts(costs: readonly Cost[]): string[] {
  const titles = [
    'api us',
    'worker us',
    'temporal us',
    'postgres us',
    'statements',
    'trans.',
    'WAL B',
    'rows',
    'persistence',
    'runs',
    'events',
    'history B',
    'Temporal B',
  ];
  const cell = (value: number) => value.toFixed(value < 10 ? 2 : 0).padStart(12);
  return [
    `${'each'.padEnd(28)}${titles.map((title) => title.padStart(12)).join('')}`,
    ...costs.map((cost) => {
      const { microseconds: us } = cost;
      const cells = [
        us.api,
        us.worker,
        us.temporal,
        us.postgres,
        cost.statements,
        cost.transactions,
        cost.walBytes,
        cost.rows,
        cost.persistence,
        cost.runs,
        cost.events,
        cost.historyBytes,
        cost.temporalBytes,
      ];
      return `${cost.operation.padEnd(28)}${cells.map(cell).join('')}`;
    }),
  ];
}

function describeGrown({ operation, tables, indexes, byTable }: Grown): string[] {
  const lines = Object.entries(byTable)
    .toSorted(([, a], [, b]) => b.tables + b.indexes - a.tables - a.indexes)
    .map(
      ([name, grown]) =>
        `  ${name.padEnd(40)} ${grown.tables.toFixed(0).padStart(8)} ${grown.indexes.toFixed(0).padStart(8)}`,
    );
  return [
    '',
    `${operation}: ${tables.toFixed(0)} bytes in tables, ${indexes.toFixed(0)} bytes in indexes, each`,
    ...lines,
  ];
}
