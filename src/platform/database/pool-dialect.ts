import {
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type DatabaseConnection,
  type Dialect,
  type CompiledQuery,
  type Driver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely';
import type { Pool, PoolClient, QueryResultRow } from 'pg';
import { noteLostAnswer } from './lost-answer.ts';
import type { PreparedQuery } from './prepared-query.ts';
import { tracedStatement } from './traced-statement.ts';

/** What the driver says when a server did not answer in time. */
const ANSWER_TIMED_OUT = 'Query read timeout';
/** Statements whose count of rows Kysely tells. */
const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/**
 * Lets Kysely, and the ORM with it, work on a pool of ours. Unlike Kysely's own dialect it never hands a connection back
 * to the pool whose state is unknown, and its connection runs prepared queries.
 * @param settings SQL that follows each `begin`
 */
export function dialectOver(pool: Pool, settings = ''): Dialect {
  return {
    createDriver: () => new PoolDriver(pool, settings),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (database) => new PostgresIntrospector(database),
  };
}

class PoolDriver implements Driver {
  readonly #pool: Pool;
  readonly #settings: string;

  constructor(pool: Pool, settings: string) {
    this.#pool = pool;
    this.#settings = settings;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    return new PoolConnection(await this.#pool.connect());
  }

  async beginTransaction(connection: PoolConnection, settings: TransactionSettings): Promise<void> {
    const isolation = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : '';
    const access = settings.accessMode ? ` ${settings.accessMode}` : '';
    try {
      await connection.send(`begin${isolation}${access}${this.#settings}`);
      connection.isInTransaction = true;
    } catch (error) {
      // Kysely releases only a connection on which a transaction has begun.
      connection.release(error as Error);
      throw error;
    }
  }

  async commitTransaction(connection: PoolConnection): Promise<void> {
    // What it leads to stands by itself: whether its answer came decides whether it is known.
    connection.isInTransaction = false;
    await connection.send('commit');
  }

  /** Never fails: a connection that cannot roll back is cut, and the server then rolls back by itself. */
  async rollbackTransaction(connection: PoolConnection): Promise<void> {
    await connection.send('rollback').catch((error: Error) => connection.release(error));
  }

  async savepoint(connection: PoolConnection, name: string): Promise<void> {
    await connection.send(`savepoint ${name}`);
  }

  async rollbackToSavepoint(connection: PoolConnection, name: string): Promise<void> {
    await connection.send(`rollback to savepoint ${name}`);
  }

  async releaseSavepoint(connection: PoolConnection, name: string): Promise<void> {
    await connection.send(`release savepoint ${name}`);
  }

  async releaseConnection(connection: PoolConnection): Promise<void> {
    connection.release();
  }

  /** The pool is ended by whoever made it. */
  async destroy(): Promise<void> {}
}

/** A connection of the pool, for as long as one transaction or one query of Kysely's holds it. */
class PoolConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  #isReleased = false;
  /** What is sent in a transaction is undone unless its commit is sent. */
  isInTransaction = false;
  /** Set when the server did not answer: it would not answer what is sent next either. */
  #cutOff: Error | undefined;

  constructor(client: PoolClient) {
    this.#client = client;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { command, rowCount, rows } = await this.#answerOf({ name: sql, text: sql }, () =>
      this.#client.query({ text: sql, values: parameters as unknown[] }),
    );
    return CHANGES.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
  }

  /** Runs SQL that this connection parses once. */
  async run<Row extends QueryResultRow>(query: PreparedQuery, values: readonly unknown[]): Promise<Row[]> {
    return (await this.#answerOf(query, () => this.#client.query<Row>({ ...query, values: values as unknown[] }))).rows;
  }

  async send(text: string): Promise<void> {
    await this.#answerOf({ name: text, text }, () => this.#client.query(text));
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows are read page by page here; no query is streamed.');
  }

  /** @param broken why the connection must not be used again */
  release(broken: Error | undefined = this.#cutOff): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#client.release(broken);
  }

  async #answerOf<Answer>({ name, text }: PreparedQuery, send: () => Promise<Answer>): Promise<Answer> {
    if (this.#cutOff !== undefined) throw this.#cutOff;
    try {
      return await tracedStatement(name, send);
    } catch (error) {
      if ((error as Error).message === ANSWER_TIMED_OUT) this.#cutOff = error as Error;
      if (!this.isInTransaction) noteLostAnswer(text, error);
      throw error;
    }
  }
}
