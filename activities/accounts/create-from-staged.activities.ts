import { createFromStaged, type CreationContext } from '../../src/accounts/create-account.store.ts';
import { announceOutcomes } from '../../src/accounts/creation-news.store.ts';
import type { CreationEntry, CreationOutcome } from '../../src/accounts/create-account.rules.ts';
import { handOver } from '../../src/accounts/hand-over.store.ts';
import type { Database, Transaction } from '../../src/platform/database/database.ts';
import { isEnvironmentFault } from '../../src/platform/database/faults.ts';
import { loggedFault, type Log } from '../../src/platform/log.ts';
import { databaseFailure, databaseFault, onDatabase } from '../failures.ts';

export type AccountActivities = ReturnType<typeof accountActivities>;

/**
 * Activities of creation. Each is one transaction; running one twice creates nothing twice, because the second run
 * finds the first one's accounts by their creation ids.
 */
export function accountActivities(deps: { database: Database; creation: CreationContext; log: Log }) {
  return {
    /**
     * Creates a batch. A fault of the environment fails the whole batch, to be tried again as it is; a fault of the data
     * is narrowed down until only the poison accounts are left out, and those are handed over.
     */
    async createFromStaged(entries: CreationEntry[]): Promise<CreationOutcome[]> {
      try {
        return await deps.database.transaction(async (tx) => {
          const outcomes = await createFromStaged(tx, entries, deps.creation);
          await announceOutcomes(tx, entries, outcomes);
          return outcomes;
        });
      } catch (error) {
        if (isEnvironmentFault(error)) throw databaseFailure(error);
      }
      return onDatabase(deps.log, 'creation failed by a fault of ours', () => deps.database.transaction((tx) => bisect(tx, entries, 0)));
    },

    /** Creates one account that could not be created in a batch; its failures stand in the web UI under its own name. */
    async createAlone(entry: CreationEntry): Promise<CreationOutcome> {
      const create = () => deps.database.transaction((tx) => createFromStaged(tx, [entry], deps.creation));
      const [outcome] = await onDatabase(deps.log, 'account cannot be created', create, { creationId: entry.creationId });
      return outcome as CreationOutcome;
    },
  };

  async function bisect(tx: Transaction, entries: CreationEntry[], depth: number): Promise<CreationOutcome[]> {
    const savepoint = `bisect_${depth}`;
    await tx.client.query(`savepoint ${savepoint}`);
    try {
      const outcomes = await createFromStaged(tx, entries, deps.creation);
      await tx.client.query(`release savepoint ${savepoint}`);
      return outcomes;
    } catch (error) {
      if (isEnvironmentFault(error)) throw error;
      await tx.client.query(`rollback to savepoint ${savepoint}`);
      if (entries.length === 1) {
        const entry = entries[0] as CreationEntry;
        const fault = databaseFault(error);
        deps.log.error({ creationId: entry.creationId, ...fault, fault: loggedFault(error) }, 'account cannot be created in a batch and goes on alone');
        await handOver(tx, entry, fault);
        return [{ kind: 'handed-over' }];
      }
      const middle = entries.length >> 1;
      return [...(await bisect(tx, entries.slice(0, middle), depth + 1)), ...(await bisect(tx, entries.slice(middle), depth + 1))];
    }
  }
}
