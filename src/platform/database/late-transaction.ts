import type { EntityManager } from '@mikro-orm/postgresql';
import { endingTransaction, inTransaction, retryOnConflict, type Database, type WritableDatabase } from './database.ts';
import { run } from './prepared-query.ts';

/** A transaction that starts with its first statement. */
export interface LateTransaction {
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
