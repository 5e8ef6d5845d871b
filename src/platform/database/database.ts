import { setTimeout as sleep } from 'node:timers/promises';
import { MikroORM, type EntityManager, type Options } from '@mikro-orm/postgresql';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import type { Log } from '../log.ts';
import { readDatabaseUrl } from './connection-options.ts';
import { watchConnecting } from './connection-watch.ts';
import { sqlStateOf } from './faults.ts';

/** A prepared statement: the text is parsed once per connection under its name. */
export interface PreparedQuery {
  name: string;
  text: string;
}

/** What a store needs of a transaction (or of the pool, for one autocommit statement). */
export interface Queryable {
  run<Row extends QueryResultRow>(statement: PreparedQuery, values: readonly unknown[]): Promise<Row[]>;
}

export interface Database extends Queryable {
  readonly orm: MikroORM;
  readonly pool: Pool;
  /** Ordinary work: a fresh entity manager in one transaction. */
  transactional<T>(work: (em: EntityManager) => Promise<T>): Promise<T>;
  /** A fresh entity manager outside a transaction, for reads. */
  em(): EntityManager;
  /** Hot paths: one connection, `begin` ... `commit`, prepared statements. Rolls back and rethrows on any error. */
  transaction<T>(work: (tx: DatabaseTransaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseTransaction extends Queryable {
  readonly client: PoolClient;
  /** Ends the transaction without keeping anything; `work` should then return (dry run). */
  rollback(): Promise<void>;
}

/** Entities as `MikroORM.init` takes them. */
type Entities = readonly NonNullable<Options['entities']>[number][];

export interface DatabaseOptions {
  url: string;
  /** The tables that the entity manager knows; whoever opens the database hands them over, so that the platform names no capability. */
  entities: Entities;
  poolSize: number;
  log: Log;
  /** Name shown in pg_stat_activity. */
  applicationName: string;
  /** Session settings such as `lock_timeout`, in milliseconds. */
  sessionSettings?: Record<string, string | number>;
}

/**
 * The planner overrates expanded jsonb a thousandfold. Just-in-time compilation would then cost a second per statement,
 * and a plan made anew for each execution several milliseconds; one plan per prepared statement serves as well. Such a
 * plan, and those behind foreign keys, may be made while the tables are still empty, when reading them whole looks
 * cheapest, and would be kept as they grow: every query here goes by a key, so reading a table whole is ruled out.
 */
const SESSION = { jit: 'off', plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' };
/** Longest wait for a connection, from the pool or to the server; a request is then answered 503. */
const CONNECT_TIMEOUT_MS = 3_000;

/**
 * How long an answer may stay out beyond the server's own `statement_timeout`. A server that is frozen or cut off ends
 * nothing by itself: without this a connection would be held until the system gives up on it, hours later.
 */
const ANSWER_GRACE_MS = 2_000;
/** What the driver says then. */
const ANSWER_TIMED_OUT = 'Query read timeout';

function answerTimeoutMs({ sessionSettings }: DatabaseOptions): number | undefined {
  const statementTimeout = Number(sessionSettings?.['statement_timeout']);
  return statementTimeout > 0 ? statementTimeout + ANSWER_GRACE_MS : undefined;
}

/**
 * Opens a pool of connections with the ORM on top. Nothing is connected before the first query, and a server that goes
 * away is met again by the next query: an idle disconnect ends nothing.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const session = Object.entries({ ...SESSION, ...options.sessionSettings })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
  const { url, ssl } = readDatabaseUrl(options.url);
  const orm = (await MikroORM.init({
    clientUrl: url,
    entities: [...options.entities],
    // Only `migrate` and the embedded engine make a database; a mistyped name must not.
    ensureDatabase: false,
    pool: { min: 0, max: options.poolSize },
    driverOptions: {
      application_name: options.applicationName,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: answerTimeoutMs(options),
      keepAlive: true,
      options: session,
      ...(ssl ? { ssl } : {}),
    },
    forceUtcTimezone: true,
    timezone: 'UTC',
    logger: () => {},
  } as never)) as MikroORM;
  const pool = await (orm.em.getConnection() as unknown as { getNativeClient(): Promise<Pool> }).getNativeClient();
  watchConnecting(pool, options.log);
  pool.on('error', (error) =>
    options.log.warn({ code: (error as { code?: string }).code }, 'idle database connection lost'),
  );
  return {
    orm,
    pool,
    em: () => orm.em.fork(),
    transactional: (work) => (orm.em.fork() as EntityManager).transactional(work),
    run: async (statement, values) => (await pool.query({ ...statement, values: values as unknown[] })).rows as never,
    transaction: (work) => untilItGoesThrough(() => inTransaction(pool, work)),
    close: () => orm.close(true),
  };
}

/** Deadlock and serialisation failure: the database undid one of two transactions, which goes through when run again. */
const UNDONE_BY_CHANCE = new Set(['40P01', '40001']);
const TRIES_MAX = 4;
const PAUSE_MS = 20;

/** Runs a transaction again that the database undid for the sake of another one; nothing of the first run is left. */
async function untilItGoesThrough<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries === TRIES_MAX || !UNDONE_BY_CHANCE.has(sqlStateOf(error) ?? '')) throw error;
      await sleep(PAUSE_MS * tries * Math.random());
    }
  }
}

async function inTransaction<T>(pool: Pool, work: (tx: DatabaseTransaction) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let ended = false;
  const tx: DatabaseTransaction = {
    client,
    run: async (statement, values) => (await client.query({ ...statement, values: values as unknown[] })).rows as never,
    rollback: async () => {
      ended = true;
      await client.query('rollback');
    },
  };
  try {
    await client.query('begin');
    const result = await work(tx);
    if (!ended) await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // A connection whose rollback fails is in an unknown state and must not go back into the pool. One that did not
    // answer would not answer the rollback either; the server rolls back when it finds the connection cut.
    const isCutOff = (error as Error).message === ANSWER_TIMED_OUT;
    const broken = isCutOff
      ? (error as Error)
      : await client.query('rollback').then(
          () => undefined,
          (fault: Error) => fault,
        );
    client.release(broken);
    throw error;
  }
}
