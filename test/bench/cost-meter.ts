import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, Connection, type WorkflowExecutionInfo } from '@temporalio/client';
import pMap from 'p-map';
import { processorSeconds } from './measure.ts';
import type { Part, DevelopmentStack } from './stack.ts';
import { withClient } from './stage-set.ts';

/** What an operation costs; everything except the runs per operation, without the cost of the idle service. */
export interface Cost {
  operation: string;
  count: number;
  /** Operations per second during the measurement; other processes disturb it, so it is not a speed to rely on. */
  perSecond: number;
  microseconds: Record<Part, number>;
  /** Statements as the service sends them, including BEGIN and COMMIT. */
  statements: number;
  /** Transactions that wrote something. */
  transactions: number;
  walBytes: number;
  /** Rows inserted, updated or deleted, including those that a rehearsal rolls back. */
  rows: number;
  /** Operations of Temporal on its database, including those of its lists. */
  persistence: number;
  /** The same by kind, without those below a hundredth of an operation. */
  persistenceByKind: Record<string, number>;
  /** Workflow runs that were started, their events, and the bytes of these. */
  runs: number;
  events: number;
  historyBytes: number;
  /** Growth of the Temporal server's database (SQLite here), where runs stay until their retention ends. */
  temporalBytes: number;
}

/** All counters, up to now. */
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

/** Waits until the last write is counted. Postgres processes report changed rows after ten seconds without work. */
const SETTLE_MS = 1_500;
const ROWS_SETTLE_MS = 10_000;
/** Open runs are described one by one; above this number the mean of a sample is used for all. */
const DESCRIBED_MAX = 200;
const COUNTED = `select pg_current_wal_lsn() - '0/0'::pg_lsn as "walBytes",
  (select coalesce(sum(calls), 0) from pg_stat_statements where userid = 'gangway_app'::regrole) as statements,
  pg_snapshot_xmax(pg_current_snapshot())::text::bigint as transactions,
  (select sum(n_tup_ins + n_tup_upd + n_tup_del) from pg_stat_user_tables) as rows`;

/**
 * Settings of Postgres that the meter needs. Without timed checkpoints the log holds only the writes of the
 * operations and no full page images; without autovacuum no operation pays for earlier ones (`vacuum` is measured
 * separately).
 */
export const meteredPostgres = {
  shared_preload_libraries: 'pg_stat_statements',
  checkpoint_timeout: '1h',
  max_wal_size: '16GB',
  autovacuum: 'off',
};

/** Measures operations; created when the service is ready, used when it is idle. */
export async function openMeter(stack: DevelopmentStack, idleMs: number): Promise<Meter> {
  await withClient(stack.database, (client) => client.query('create extension if not exists pg_stat_statements'));
  const before = await read(stack);
  await sleep(idleMs);
  const idle = between(before, await read(stack));
  return {
    idle: {
      ...perOperation('idle, per second', idle.seconds, idle, undefined),
      ...{ runs: 0, events: 0, historyBytes: 0 },
    },
    measure: async (operation, count, work) => {
      // By then the activity of the start has been counted.
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
  /** Cost of a second without requests. */
  idle: Cost;
  /** @param count number of operations in the work */
  measure(operation: string, count: number, work: () => Promise<unknown>): Promise<Cost>;
}

/**
 * The lowest processor time of several rounds, and the other figures of the last round: other processes only add to
 * the time.
 */
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

async function read(stack: DevelopmentStack): Promise<Reading> {
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

/** Shares of the use, without what the idle service uses. */
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

/** The runs that were started since a time. */
async function history({ temporal }: DevelopmentStack, since: Date, count: number) {
  const connection = await Connection.connect({ address: temporal });
  try {
    const client = new Client({ connection });
    const found: WorkflowExecutionInfo[] = [];
    for await (const run of client.workflow.list({ query: `StartTime >= '${since.toISOString()}'` })) found.push(run);
    const described = await pMap(
      found.slice(0, DESCRIBED_MAX),
      async ({ workflowId, runId }) => {
        const { raw } = await client.workflow.getHandle(workflowId, runId).describe();
        const { historyLength, historySizeBytes } = raw.workflowExecutionInfo ?? {};
        return { events: Number(historyLength ?? 0), bytes: Number(historySizeBytes ?? 0) };
      },
      { concurrency: 4 },
    );
    const all = found.length / Math.max(1, described.length) / count;
    return {
      runs: found.length / count,
      events: described.reduce((sum, { events }) => sum + events, 0) * all,
      historyBytes: described.reduce((sum, { bytes }) => sum + bytes, 0) * all,
    };
  } finally {
    await connection.close();
  }
}
