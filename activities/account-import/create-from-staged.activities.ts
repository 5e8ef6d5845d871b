import { bisectCreation } from '../../src/account-import/create/bisect-creation.store.ts';
import { createFromStaged, type CreationContext } from '../../src/account-import/create/create-account.store.ts';
import { announceOutcomes } from '../../src/account-import/create/creation-notifications.store.ts';
import type { CreationActivity } from '../../src/account-import/create/creation-activity.queue.ts';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';
import { quarantine } from '../../src/account-import/create/quarantine.store.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { isTransientError, isOwnTimeout } from '../../src/platform/database/faults.ts';
import type { Log } from '../../src/platform/log.ts';
import { creationBudget } from '../../temporal.config.ts';
import { databaseFailure, onDatabase, timeoutFailure } from '../failures.ts';

export type AccountActivities = ReturnType<typeof accountActivities>;

export interface AccountActivityDeps {
  database: Database;
  /** Gives a statement more time; for accounts that go alone. */
  patientDatabase: Database;
  creation: CreationContext;
  /** Notified while requests wait for a creation. */
  activity: CreationActivity;
  log: Log;
}

/**
 * The small write that quarantines an account must be done within this time. It takes a few milliseconds: a database
 * that takes a hundred times as long is slow as a whole, which says nothing about the account.
 */
const QUARANTINE_TIMEOUT_MS = 500;

/**
 * Activities of creation. Each is one transaction; running one twice creates nothing twice, because the second run
 * finds the first one's accounts by their creation ids.
 */
export function accountActivities(deps: AccountActivityDeps) {
  return {
    /**
     * Creates a batch. A fault of the environment fails the whole batch, to be tried again as it is; so does a time-out
     * of our own, for the workflow to split it; a fault of the data is narrowed down until only the poison accounts are
     * left out, and those are quarantined.
     */
    createFromStaged: (entries: CreationEntry[]): Promise<CreationOutcome[]> =>
      deps.activity.during(() => createBatch(deps, entries, announceOutcomes)),

    /** Creates a part of a batch that took too long as a whole. It is not announced: who waits awaits the whole batch. */
    createPart: (entries: CreationEntry[]): Promise<CreationOutcome[]> => createBatch(deps, entries, async () => {}),

    /** Creates one account that took too long beside others; quarantines it when it takes too long alone as well. */
    async createWithMoreTime(entry: CreationEntry): Promise<CreationOutcome> {
      try {
        return await createOne(deps, entry);
      } catch (error) {
        if (!isOwnTimeout(error) && isTransientError(error)) throw databaseFailure(error);
        await onDatabase(deps.log, 'account cannot be quarantined', () =>
          deps.database.transaction(async (em) => {
            await em.execute(`set local statement_timeout = ${QUARANTINE_TIMEOUT_MS}`);
            await quarantine(em, deps.log, entry, error);
          }),
        );
        return { kind: 'quarantined' };
      }
    },

    /** Creates one quarantined account; its failures appear in the web UI under its own name. */
    async createAlone(entry: CreationEntry): Promise<CreationOutcome> {
      try {
        return await createOne(deps, entry);
      } catch (error) {
        if (isOwnTimeout(error)) throw timeoutFailure(error, creationBudget.aloneTimedOutRetry);
        return onDatabase(deps.log, 'account cannot be created', () => Promise.reject(error as Error), {
          creationId: entry.creationId,
        });
      }
    },
  };
}

async function createOne(deps: AccountActivityDeps, entry: CreationEntry): Promise<CreationOutcome> {
  const [outcome] = await deps.patientDatabase.transaction((em) =>
    createFromStaged(em, [entry], { ...deps.creation, retriesTimedOut: true }),
  );
  return outcome as CreationOutcome;
}

async function createBatch(
  deps: AccountActivityDeps,
  entries: CreationEntry[],
  announce: typeof announceOutcomes,
): Promise<CreationOutcome[]> {
  try {
    return await deps.database.transaction(async (em) => {
      const outcomes = await createFromStaged(em, entries, deps.creation);
      await announce(em, entries, outcomes);
      return outcomes;
    });
  } catch (error) {
    if (isOwnTimeout(error)) throw timeoutFailure(error);
    if (isTransientError(error)) throw databaseFailure(error);
  }
  try {
    return await deps.database.transaction((em) =>
      bisectCreation(em, entries, deps.creation, (part, entry, error) => quarantine(part, deps.log, entry, error)),
    );
  } catch (error) {
    if (isOwnTimeout(error)) throw timeoutFailure(error);
    return onDatabase(deps.log, 'creation failed by a fault of ours', () => Promise.reject(error as Error));
  }
}
