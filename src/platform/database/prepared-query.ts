import type { EntityManager } from '@mikro-orm/postgresql';
import type { Kysely } from 'kysely';
import type { QueryResultRow } from 'pg';

/** SQL that is parsed once per connection, under its name. */
export interface PreparedQuery {
  name: string;
  text: string;
}

/** Runs one statement in its own transaction. */
export interface Autocommit {
  run<Row extends QueryResultRow>(query: PreparedQuery, values: readonly unknown[]): Promise<Row[]>;
}

/** Runs the queries of a store: the database, or an entity manager in its transaction. */
export type Queryable = (Autocommit & { em(): EntityManager }) | EntityManager;

/** Connections of open transactions. Cached, because getting one from Kysely costs as much as the driver's work on a query. */
const connections = new WeakMap<Kysely<unknown>, Autocommit>();

/**
 * Runs a prepared query.
 * @param on the entity manager of a transaction, or the database for a single statement
 * @returns the rows; their type is not checked
 * @throws errors of the driver, or an error if the entity manager has no transaction
 */
export async function run<Row extends QueryResultRow>(
  on: Autocommit | EntityManager,
  query: PreparedQuery,
  values: readonly unknown[],
): Promise<Row[]> {
  if ('run' in on) return on.run<Row>(query, values);
  const transaction = on.getTransactionContext<Kysely<unknown>>();
  if (transaction === undefined) throw new Error('A prepared query runs in a transaction, or on the database.');
  let connection = connections.get(transaction);
  if (connection === undefined) {
    connection = await transaction.getExecutor().provideConnection(async (found) => found as unknown as Autocommit);
    connections.set(transaction, connection);
  }
  return connection.run<Row>(query, values);
}

/** The entity manager of the transaction, or a new one for reads outside a transaction. */
export function emOf(on: Queryable): EntityManager {
  return 'getKysely' in on ? on : on.em();
}

/**
 * Kysely in the transaction, or on the database. For queries that are not performance-critical.
 * @typeParam Tables of the queried entities, such as `AccountTable & LedgerTable`; a misspelled column does not compile
 */
export function kyselyOf<Tables>(on: Queryable): Kysely<Tables> {
  return emOf(on).getKysely<Tables>() as Kysely<Tables>;
}

/**
 * The same with the names of properties, such as `importSupplier`. Not for `with` queries: the columns of their parts are not translated.
 * @typeParam Tables with the option `{ columnNamingStrategy: 'property' }`
 */
export function propertiesOf<Tables>(on: Queryable): Kysely<Tables> {
  return emOf(on).getKysely<Tables>({ columnNamingStrategy: 'property' }) as Kysely<Tables>;
}
