import type { Kysely, KyselyPlugin, QueryId, CompiledQuery } from 'kysely';
import type { PreparedQuery } from '../../src/platform/database/prepared-query.ts';
import { statementName } from '../../src/platform/database/pool-dialect.ts';
import type { Service } from './harness.ts';

interface PlanNode {
  'Node Type': string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

/**
 * Counts the rows that a statement reads from tables and indexes, including discarded ones. This cost does not depend
 * on the machine.
 */
async function rowsRead(service: Service, { text }: PreparedQuery, values: readonly unknown[]): Promise<number> {
  const { rows } = await service.database.pool.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
    `explain (analyze, timing off, format json) ${text}`,
    [...values],
  );
  return readBy(rows[0]!['QUERY PLAN'][0].Plan);
}

function readBy(node: PlanNode): number {
  const isScan = node['Node Type'].endsWith('Scan') && !/CTE|Subquery|Function|Values/.test(node['Node Type']);
  const each =
    (node['Actual Rows'] ?? 0) + (node['Rows Removed by Filter'] ?? 0) + (node['Rows Removed by Index Recheck'] ?? 0);
  const own = isScan ? each * (node['Actual Loops'] ?? 1) : 0;
  return own + (node.Plans ?? []).reduce((sum, child) => sum + readBy(child), 0);
}

/**
 * Wraps the database of a service, and records the rows read by each statement whose name begins with a prefix.
 * Statements of Kysely are named by verb and table, such as `select account`.
 */
export function countingReads(
  service: Service,
  prefix: string,
): { database: Pick<Service['database'], 'run' | 'em'>; read: [name: string, rows: number][] } {
  const read: [string, number][] = [];
  const count = async (statement: PreparedQuery, values: readonly unknown[]) => {
    if (statement.name.startsWith(prefix)) read.push([statement.name, await rowsRead(service, statement, values)]);
  };
  return {
    read,
    database: {
      em: () => {
        const em = service.database.em();
        const original = em.getKysely.bind(em);
        const getKysely = (options?: Parameters<typeof original>[0]) => {
          const kysely = original(options) as Kysely<unknown>;
          return kysely.withPlugin(countingPlugin(kysely, count));
        };
        return Object.assign(em, { getKysely });
      },
      run: async (statement, values) => {
        await count(statement, values);
        return service.database.run(statement, values);
      },
    },
  };
}

function countingPlugin(
  kysely: Kysely<unknown>,
  count: (statement: PreparedQuery, values: readonly unknown[]) => Promise<void>,
): KyselyPlugin {
  const compiled = new WeakMap<QueryId, CompiledQuery>();
  return {
    transformQuery: ({ node, queryId }) => {
      compiled.set(queryId, kysely.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ queryId, result }) => {
      const { sql, parameters } = compiled.get(queryId)!;
      if (sql.startsWith('select')) await count({ name: statementName(sql), text: sql }, parameters);
      return result;
    },
  };
}
