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
import { mayWrite, noteLostAnswer } from './lost-answer.ts';
import type { Autocommit, PreparedQuery } from './prepared-query.ts';
import { isTracing, traced } from '../traces/traces.ts';

/** Message of the driver when the server did not respond in time. */
const ANSWER_TIMED_OUT = 'Query read timeout';
/** Statements for which Kysely returns the number of rows. */
const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/**
 * A Kysely dialect on an existing pool, also used by the ORM. Unlike Kysely's own dialect, it never returns a connection in an unknown
 * state to the pool, and its connection runs prepared queries.
 * @param limits SQL that follows each `begin`; if set, single statements run in a transaction too
 */
export function dialectOver(pool: Pool, limits = ''): Dialect & Autocommit {
  return {
    run: async (query, values) => {
      const connection = new PoolConnection(await pool.connect(), limits);
      try {
        return (await connection.run(query, values)) as never;
      } finally {
        connection.release();
      }
    },
    createDriver: () => new PoolDriver(pool, limits),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createAdapter: () => new PostgresAdapter(),
    createIntrospector: (database) => new PostgresIntrospector(database),
  };
}

class PoolDriver implements Driver {
  readonly #pool: Pool;
  readonly #limits: string;

  constructor(pool: Pool, limits: string) {
    this.#pool = pool;
    this.#limits = limits;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<PoolConnection> {
    return new PoolConnection(await this.#pool.connect(), this.#limits);
  }

  async beginTransaction(connection: PoolConnection, settings: TransactionSettings): Promise<void> {
    const isolation = settings.isolationLevel ? ` isolation level ${settings.isolationLevel}` : '';
    const access = settings.accessMode ? ` ${settings.accessMode}` : '';
    try {
      await connection.send(`begin${isolation}${access}${this.#limits}`);
      connection.isInTransaction = true;
    } catch (error) {
      // Kysely releases a connection only if a transaction was started on it.
      connection.release(error as Error);
      throw error;
    }
  }

  async commitTransaction(connection: PoolConnection): Promise<void> {
    // If the response is lost, the outcome of the commit is unknown.
    connection.isInTransaction = false;
    await connection.send('commit');
  }

  /** Never rejects: a connection that cannot roll back is closed, and the server then rolls back. */
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

  /** The caller ends the pool. */
  async destroy(): Promise<void> {}
}

/** A connection of the pool, used by one transaction or one Kysely query. */
class PoolConnection implements DatabaseConnection {
  readonly #client: PoolClient;
  readonly #limits: string;
  #isReleased = false;
  /** Statements in a transaction take effect only if its commit is sent. */
  isInTransaction = false;
  /** Set if the server did not respond: it would not respond to the next statement either. */
  #cutOff: Error | undefined;

  constructor(client: PoolClient, limits: string) {
    this.#client = client;
    this.#limits = limits;
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    const { command, rowCount, rows } = await this.#withLimits({ name: sql, text: sql }, () =>
      this.#client.query({ text: sql, values: parameters as unknown[] }),
    );
    return CHANGES.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
  }

  /** Runs SQL that this connection parses once. */
  async run<Row extends QueryResultRow>(query: PreparedQuery, values: readonly unknown[]): Promise<Row[]> {
    const send = () => this.#client.query<Row>({ ...query, values: values as unknown[] });
    return (await this.#withLimits(query, send)).rows;
  }

  async send(text: string): Promise<void> {
    await this.#answerOf({ name: text, text }, () => this.#client.query(text));
  }

  // oxlint-disable-next-line require-yield
  async *streamQuery(): AsyncIterableIterator<never> {
    throw new Error('Rows are read page by page here; no query is streamed.');
  }

  /** @param broken why the connection must not be reused */
  release(broken: Error | undefined = this.#cutOff): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#client.release(broken);
  }

  /** Applies the limits of the pool to a single statement. They are set in a transaction, because a pooler may use any session. */
  async #withLimits<Answer>(query: PreparedQuery, send: () => Promise<Answer>): Promise<Answer> {
    if (this.isInTransaction || this.#limits === '') return this.#answerOf(query, send);
    await this.send(`begin${this.#limits}`);
    this.isInTransaction = true;
    let answer: Answer;
    try {
      answer = await this.#answerOf(query, send);
    } catch (error) {
      await this.send('rollback').catch((fault: Error) => this.release(fault));
      throw error;
    } finally {
      this.isInTransaction = false;
    }
    // `end` also commits, but `noteLostAnswer` does not treat it as a write.
    await this.send(mayWrite(query.text) ? 'commit' : 'end');
    return answer;
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

/** The name of a prepared statement, or a single word such as `commit`. */
const NAME = /^[\w-]+$/;
/** Literals, which may contain data. */
const LITERALS = /'(?:[^']|'')*'/g;
const VERB = /^\s*(\w{1,20})/;
const TABLE = /\b(?:from|into|update)\s+"?([a-z_]{1,63})\b/i;
/** Length of the part of a statement that is read to classify it. */
const READ_MAX = 2_000;

/**
 * Sends a statement, as a span of the current trace if there is one.
 * @param text name of the statement, or its SQL; the span shows only verb and table of SQL
 */
function tracedStatement<Answer>(text: string, send: () => Promise<Answer>): Promise<Answer> {
  if (!isTracing()) return send();
  return traced(() => {
    const name = statementName(text);
    return { name, kind: 'client', attributes: { 'db.system.name': 'postgresql', 'db.query.summary': name } };
  }, send);
}

/** Name of the span of a statement. @param text a name, or SQL */
export function statementName(text: string): string {
  if (NAME.test(text)) return text;
  const bare = text.slice(0, READ_MAX).replaceAll(LITERALS, '');
  const verb = (VERB.exec(bare)?.[1] ?? 'sql').toLowerCase();
  const table = TABLE.exec(bare)?.[1];
  return table === undefined ? verb : `${verb} ${table}`;
}
