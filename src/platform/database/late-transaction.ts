import type { EntityManager } from '@mikro-orm/postgresql';
import { inTransaction, untilItGoesThrough, type Database, type WritableDatabase } from './database.ts';
import { run } from './prepared-query.ts';

/** A transaction that begins when the database is first asked for something. */
export interface LateTransaction {
  /** What it is to be done on; its transactions are savepoints. */
  database: WritableDatabase;
  /** The entity manager in the transaction, which begins if it has not. */
  begun(): Promise<EntityManager>;
}

/**
 * Does work in one transaction that holds no connection before it has something to write: what comes first may wait for others.
 * Commits what was done; rolls back and rethrows on any error. Like any transaction it is run again if the database undid it.
 */
export function inLateTransaction<T>(database: Database, work: (late: LateTransaction) => Promise<T>): Promise<T> {
  return untilItGoesThrough(async () => {
    const em = database.em();
    let beginning: Promise<void> | undefined;
    const begun = async (): Promise<EntityManager> => {
      beginning ??= em.begin();
      await beginning;
      return em;
    };
    try {
      const result = await work({
        begun,
        database: {
          run: async (query, values) => run(await begun(), query, values),
          em: () => database.em(),
          transaction: async (part) => inTransaction((await begun()).fork(), part, em.getTransactionContext()),
        },
      });
      if (em.isInTransaction()) await em.commit();
      return result;
    } catch (error) {
      if (em.isInTransaction()) await em.rollback();
      throw error;
    }
  });
}
