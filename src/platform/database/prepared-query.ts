import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';
import type { QueryResultRow } from 'pg';

/** SQL that is parsed once per connection, under its name. */
export interface PreparedQuery {
  name: string;
  text: string;
}

/** Runs one statement in a transaction of its own. */
export interface Autocommit {
  run<Row extends QueryResultRow>(query: PreparedQuery, values: readonly unknown[]): Promise<Row[]>;
}

/** What a store runs its queries on: the database itself, or an entity manager and with it its transaction. */
export type Queryable = Autocommit | EntityManager;

/** A query of Kysely's that the connection prepares under a name. */
export type NamedQuery = CompiledQuery & { name?: string };

/**
 * Runs a prepared query. Values go to the server beside the text, as they are.
 * @param on the entity manager of a transaction, or the database for one statement on its own
 * @returns the rows; their type is the caller's word
 * @throws what the driver throws
 */
export async function run<Row extends QueryResultRow>(
  on: Queryable,
  query: PreparedQuery,
  values: readonly unknown[],
): Promise<Row[]> {
  if ('run' in on) return on.run<Row>(query, values);
  const named: NamedQuery = { ...CompiledQuery.raw(query.text, values as unknown[]), name: query.name };
  return (await on.getKysely<unknown>().executeQuery<Row>(named)).rows;
}
