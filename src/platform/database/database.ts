import { setTimeout as sleep } from 'node:timers/promises';
import { MikroORM, type EntityManager, type MetadataStorage, type Options } from '@mikro-orm/postgresql';
import { Pool, TypeOverrides, types, type PoolClient, type PoolConfig } from 'pg';
import type { Dialect } from 'kysely';
import type { Log } from '../log.ts';
import { fixedSecret, type CurrentSecret } from '../secrets/secrets.ts';
import { readDatabaseUrl } from './connection-options.ts';
import { watchConnecting } from './connection-watch.ts';
import { DatabaseLogin } from './database-login.ts';
import { sqlStateOf } from './faults.ts';
import { dialectOver } from './pool-dialect.ts';
import { checkSession, limitsOfTransaction, type TimeLimits } from './session-settings.ts';
import { run, type Autocommit } from './prepared-query.ts';

export interface Database extends Autocommit {
  readonly orm: MikroORM;
  readonly pool: Pool;
  /** Returns a new entity manager outside a transaction, for reads. */
  em(): EntityManager;
  /**
   * Runs `work` in a new transaction and commits. `em.rollback()` in `work` ends the transaction without changes (dry run). Rolls back and
   * rethrows on any error; retries after a deadlock or serialization failure.
   */
  transaction<T>(work: (em: EntityManager) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The parts of the database that stores need for writes. */
export type WritableDatabase = Pick<Database, 'run' | 'transaction' | 'em'>;

/**
 * The database within a running transaction: statements belong to it, and transactions become savepoints. For work that normally has its
 * own transactions and must now be committed together with other work.
 * @param em in its transaction; the caller that started it retries it after a deadlock
 */
export function databaseWithin(em: EntityManager): WritableDatabase {
  return {
    run: (query, values) => run(em, query, values),
    em: () => em,
    transaction: (work) => inTransaction(em.fork(), work, em.getTransactionContext()),
  };
}

/** Entities as accepted by `MikroORM.init`. */
type Entities = readonly NonNullable<Options['entities']>[number][];

export interface DatabaseOptions {
  url: string;
  /** The current DATABASE_URL if it can change; new connections use it. */
  secret?: CurrentSecret;
  /** Entities of the ORM; passed in, so that the platform does not import capabilities. */
  entities: Entities;
  poolSize: number;
  log: Log;
  /** Name shown in pg_stat_activity. */
  applicationName: string;
  /** Time limits of transactions and statements. Connections of a pool with limits must have the settings of the service's role. */
  limits?: TimeLimits;
}

/** Timeout for a connection from the pool or to the server; the request is then answered with 503. */
const CONNECT_TIMEOUT_MS = 3_000;

/**
 * Time that a response may take beyond the server's `statement_timeout`. A server that hangs or is cut off cancels nothing: without this
 * timeout the connection would be held for hours, until the operating system closes it.
 */
const ANSWER_GRACE_MS = 2_000;
function answerTimeoutMs({ limits }: DatabaseOptions): number | undefined {
  return limits && limits.statement_timeout + ANSWER_GRACE_MS;
}

/** Opens a connection pool with the ORM on top. Connects at the first query, and reconnects at the next query after a disconnect. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url } = readDatabaseUrl(options.url);
  const pool = openPool(options);
  const dialect = dialectOver(pool, limitsOfTransaction(options.limits));
  const orm = openOrm(options.entities, url, dialect);
  return {
    orm,
    pool,
    em: () => orm.em.fork(),
    run: dialect.run,
    transaction: (work) => retryOnConflict(() => inTransaction(orm.em.fork() as EntityManager, work)),
    close: async () => {
      await orm.close(true);
      await pool.end();
    },
  };
}

/** ORM metadata for each list of entities. */
const metadataOf = new WeakMap<Entities, MetadataStorage>();

/** Opens the ORM over a pool. All pools of a process share the metadata of the entities, because discovering it takes most of the time. */
function openOrm(entities: Entities, url: string, dialect: Dialect): MikroORM {
  const settings = {
    clientUrl: url,
    entities: [...entities],
    // Only `migrate` and the embedded engine create databases; a mistyped name must not.
    ensureDatabase: false,
    driverOptions: dialect,
    forceUtcTimezone: true,
    timezone: 'UTC',
    logger: () => {},
  };
  const known = metadataOf.get(entities);
  if (known === undefined) {
    // `init` would search for extensions and load the one for migrations.
    const first = new MikroORM(settings as never);
    metadataOf.set(entities, first.getMetadata());
    return first;
  }
  // The rest of the constructor's work, with the cached metadata.
  const orm = new MikroORM({ ...settings, discovery: { skipSyncDiscovery: true } } as never);
  orm.driver.setMetadata(known);
  orm.em = Object.assign(orm.driver.createEntityManager(), { global: true }) as never;
  return orm;
}

function openPool(options: DatabaseOptions): Pool {
  const login = new DatabaseLogin(options.secret ?? fixedSecret(options.url), options.url, options.log);
  const answerTimeout = answerTimeoutMs(options);
  const config: PoolConfig & { verify?: ReturnType<typeof verifyWith> } = {
    Client: login.clientClass(),
    max: options.poolSize,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    ...(answerTimeout === undefined ? {} : { query_timeout: answerTimeout }),
    keepAlive: true,
    types: readTypes(),
    ...(options.limits ? { verify: verifyWith(login) } : {}),
  };
  const pool = new Pool(config);
  watchConnecting(pool, login, options.log);
  pool.on('error', (error) =>
    options.log.warn({ code: (error as { code?: string }).code }, 'idle database connection lost'),
  );
  // A connection in use has no other listener. The error also fails its query.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

/** Verifies each new connection before the pool hands it out. */
const verifyWith =
  (login: DatabaseLogin) =>
  (client: PoolClient, done: (error?: Error) => void): void => {
    checkSession(client).then(
      () => done(),
      (error: Error) => {
        login.failed(client, error);
        done(error);
      },
    );
  };

/** Deadlock and serialization failure: the database rolled back one of two transactions, so a retry succeeds. */
const RETRYABLE_STATES = new Set(['40P01', '40001']);
const TRIES_MAX = 4;
const PAUSE_MS = 20;

/** Retries a transaction that the database rolled back because of a conflict. */
async function retryOnConflict<T>(run: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await run();
    } catch (error) {
      if (tries === TRIES_MAX || !RETRYABLE_STATES.has(sqlStateOf(error) ?? '')) throw error;
      await sleep(PAUSE_MS * tries * Math.random());
    }
  }
}

/** Dates stay strings, because a timestamp could be another date in another time zone. */
function readTypes(): TypeOverrides {
  const read = new TypeOverrides();
  read.setTypeParser(types.builtins.DATE, (text: string) => text);
  return read;
}

/** @param around a running transaction, in which a savepoint is created instead */
async function inTransaction<T>(
  em: EntityManager,
  work: (em: EntityManager) => Promise<T>,
  around?: unknown,
): Promise<T> {
  await em.begin(around === undefined ? {} : { ctx: around });
  return endingTransaction(em, () => work(em));
}

/** Runs work, then commits the transaction if it has begun and not ended. Rolls back and rethrows on any error. */
async function endingTransaction<T>(em: EntityManager, work: () => Promise<T>): Promise<T> {
  try {
    const result = await work();
    if (em.isInTransaction()) await em.commit();
    return result;
  } catch (error) {
    if (em.isInTransaction()) await em.rollback();
    throw error;
  }
}

/** A transaction that starts with its first statement. */
interface LateTransaction {
  /** For the work; its transactions become savepoints. */
  database: WritableDatabase;
  /** Returns the entity manager in the transaction, which is started if necessary. */
  begun(): Promise<EntityManager>;
}

/**
 * Runs work in a transaction that holds no connection before its first statement, so that the work may wait before it. Commits, or rolls
 * back and rethrows on any error; retries after a deadlock.
 */
export function inLateTransaction<T>(database: Database, work: (late: LateTransaction) => Promise<T>): Promise<T> {
  return retryOnConflict(async () => {
    const em = database.em();
    let beginning: Promise<void> | undefined;
    const begun = async (): Promise<EntityManager> => {
      beginning ??= em.begin();
      await beginning;
      return em;
    };
    const within: WritableDatabase = {
      run: async (query, values) => run(await begun(), query, values),
      em: () => database.em(),
      transaction: async (part) => inTransaction((await begun()).fork(), part, em.getTransactionContext()),
    };
    return endingTransaction(em, () => work({ begun, database: within }));
  });
}
