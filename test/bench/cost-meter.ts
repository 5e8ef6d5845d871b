import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';
import pMap from 'p-map';
import { processorSeconds } from './measure.ts';
import type { Part, Stack } from './stack.ts';
import { withClient } from './stage-set.ts';

/** What an operation costs; all but the runs by operation, with what the idle service costs taken away. */
export interface Cost {
  operation: string;
  count: number;
  /** Operations a second while it was measured; with others on the machine, so no speed to rely on. */
  perSecond: number;
  microseconds: Record<Part, number>;
  /** As the service sends them, BEGIN and COMMIT included. */
  statements: number;
  /** That have written something. */
  transactions: number;
  walBytes: number;
  /** Written, changed or deleted; with those that a rehearsal takes back. */
  rows: number;
  /** Operations that Temporal asks of its database, those of its lists included. */
  persistence: number;
  /** The same by kind; those below a hundredth of an operation are left out. */
  persistenceByKind: Record<string, number>;
  /** Runs of workflows that were begun, their events, and the bytes of these. */
  runs: number;
  events: number;
  historyBytes: number;
  /** By how much the database of the Temporal server grows, of SQLite here; all that stands in it of the runs until their retention is over. */
  temporalBytes: number;
}

/** Everything that is counted, so far. */
interface Reading {
  at: number;
  seconds: Record<Part, number>;
  database: Counted;
  persistence: Map<string, number>;
}

interface Counted {
  temporalBytes: number;
  statements: number;
  transactions: number;
  walBytes: number;
  rows: number;
}

/** Until the last is written. Processes of Postgres tell after ten seconds without work which rows they have changed. */
const SETTLE_MS = 1_500;
const ROWS_SETTLE_MS = 10_000;
/** Runs that are not over tell their length one by one; of more than so many their mean counts for all. */
const DESCRIBED_MAX = 200;
const COUNTED = `select pg_current_wal_lsn() - '0/0'::pg_lsn as "walBytes",
  (select coalesce(sum(calls), 0) from pg_stat_statements where userid = 'gangway_app'::regrole) as statements,
  pg_snapshot_xmax(pg_current_snapshot())::text::bigint as transactions,
  (select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables) as rows`;

/**
 * Settings of Postgres that the meter needs. Without checkpoints that come by time, what stands in the log is what the operations write, and no whole
 * pages; without autovacuum nobody pays for those before (`vacuum` is measured by itself).
 */
export const meteredPostgres = {
  shared_preload_libraries: 'pg_stat_statements',
  checkpoint_timeout: '1h',
  max_wal_size: '16GB',
  autovacuum: 'off',
};

/** Measures operations; made when the service is ready, and used when it is idle. */
export async function openMeter(stack: Stack, idleMs: number): Promise<Meter> {
  await withClient(stack.database, (client) => client.query('create extension if not exists pg_stat_statements'));
  const before = await read(stack);
  await sleep(idleMs);
  const idle = between(before, await read(stack));
  return {
    idle: {
      ...perOperation('idle, a second', idle.seconds, idle, undefined),
      ...{ runs: 0, events: 0, historyBytes: 0 },
    },
    measure: async (operation, count, work) => {
      // What made it ready is told by then.
      await sleep(ROWS_SETTLE_MS);
      const began = new Date();
      const first = await read(stack);
      await work();
      const seconds = (performance.now() - first.at) / 1_000;
      await sleep(SETTLE_MS);
      const used = between(first, await read(stack));
      await sleep(ROWS_SETTLE_MS);
      const later = between(first, await read(stack));
      return {
        ...perOperation(operation, count, used, idle),
        rows: perOperation(operation, count, later, idle).rows,
        perSecond: count / seconds,
        ...(await history(stack, began, count)),
      };
    },
  };
}

export interface Meter {
  /** What a second costs in which nobody asks for anything. */
  idle: Cost;
  /** @param count how many operations the work is */
  measure(operation: string, count: number, work: () => Promise<unknown>): Promise<Cost>;
}

/** The least processor time of several rounds, and the rest as in the last: others on the machine only ever add. */
export function leastOf(rounds: readonly Cost[]): Cost {
  const last = rounds.at(-1)!;
  const least = (part: Part) => Math.min(...rounds.map(({ microseconds }) => microseconds[part]));
  return {
    ...last,
    perSecond: Math.max(...rounds.map(({ perSecond }) => perSecond)),
    microseconds: {
      api: least('api'),
      worker: least('worker'),
      temporal: least('temporal'),
      postgres: least('postgres'),
    },
  };
}

async function read(stack: Stack): Promise<Reading> {
  const database = await withClient(stack.database, async (client) => {
    const [row] = (await client.query<Record<keyof Counted, string>>(COUNTED)).rows;
    const counted = Object.entries(row!).map(([name, value]) => [name, Number(value)]);
    return { ...(Object.fromEntries(counted) as Counted), temporalBytes: bytesInUse(stack.temporalFile) };
  });
  const metrics = await (await fetch(stack.temporalMetrics)).text();
  const persistence = new Map<string, number>();
  for (const [, isOfLists, labels = '', value] of metrics.matchAll(
    /^(visibility_)?persistence_requests\{(.*)\} (\S+)$/gm,
  )) {
    const kind = `${isOfLists ?? ''}${/operation="(\w+)"/.exec(labels)?.[1]}`;
    persistence.set(kind, (persistence.get(kind) ?? 0) + Number(value));
  }
  const pids = stack.pids();
  const seconds = {
    api: processorSeconds(pids.api),
    worker: processorSeconds(pids.worker),
    temporal: processorSeconds(pids.temporal),
    postgres: processorSeconds(pids.postgres),
  };
  return { at: performance.now(), seconds, database, persistence };
}

function bytesInUse(file: string): number {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    const pragma = (name: string) => Number(database.prepare(`pragma ${name}`).get()?.[name]);
    return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size');
  } finally {
    database.close();
  }
}

interface Used {
  seconds: number;
  processor: Record<Part, number>;
  database: Counted;
  persistence: Map<string, number>;
}

function between(first: Reading, last: Reading): Used {
  const less = <Names extends string>(now: Record<Names, number>, then: Record<Names, number>) =>
    Object.fromEntries(Object.keys(now).map((name) => [name, now[name as Names] - then[name as Names]])) as Record<
      Names,
      number
    >;
  return {
    seconds: (last.at - first.at) / 1_000,
    processor: less(last.seconds, first.seconds),
    database: less({ ...last.database }, { ...first.database }),
    persistence: new Map(
      [...last.persistence].map(([kind, value]) => [kind, value - (first.persistence.get(kind) ?? 0)]),
    ),
  };
}

/** Shares of what was used, without what the service uses when it is idle. */
function perOperation(operation: string, count: number, used: Used, idle: Used | undefined) {
  const idleFor = idle === undefined ? 0 : used.seconds / idle.seconds;
  const share = (value: number, idleValue = 0) => Math.max(0, (value - idleFor * idleValue) / count);
  const counted = (name: keyof Counted) => share(used.database[name], idle?.database[name]);
  const time = (part: Part) => share(used.processor[part], idle?.processor[part]) * 1e6;
  const kinds = [...used.persistence].map(
    ([kind, value]) => [kind, share(value, idle?.persistence.get(kind))] as const,
  );
  return {
    operation,
    count,
    perSecond: 0,
    microseconds: { api: time('api'), worker: time('worker'), temporal: time('temporal'), postgres: time('postgres') },
    statements: counted('statements'),
    transactions: counted('transactions'),
    temporalBytes: counted('temporalBytes'),
    walBytes: counted('walBytes'),
    rows: counted('rows'),
    persistence: kinds.reduce((sum, [, value]) => sum + value, 0),
    persistenceByKind: Object.fromEntries(kinds.filter(([, value]) => value >= 0.01)),
  };
}

/** The runs that were begun since a moment. */
async function history({ temporal }: Stack, since: Date, count: number) {
  const connection = await Connection.connect({ address: temporal });
  try {
    const client = new Client({ connection });
    const found: WorkflowExecutionInfo[] = [];
    for await (const run of client.workflow.list({ query: `StartTime >= '${since.toISOString()}'` })) found.push(run);
    const told = await pMap(
      found.slice(0, DESCRIBED_MAX),
      async ({ workflowId, runId }) => {
        const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
        const { historyLength, historySizeBytes } = raw.workflowExecutionInfo ?? {};
        return { events: Number(historyLength ?? 0), bytes: Number(historySizeBytes ?? 0) };
      },
      { concurrency: 4 },
    );
    const all = found.length / Math.max(1, told.length) / count;
    return {
      runs: found.length / count,
      events: told.reduce((sum, { events }) => sum + events, 0) * all,
      historyBytes: told.reduce((sum, { bytes }) => sum + bytes, 0) * all,
    };
  } finally {
    await connection.close();
  }
}
