import type { EntityManager } from '@mikro-orm/postgresql';
import { activityInfo } from '@temporalio/activity';
import { bisectCreation, quarantine } from '../../src/account-import/create/quarantine.store.ts';
import { createFromStaged, type CreationContext } from '../../src/account-import/create/create-account.store.ts';
import { announceOutcomes } from '../../src/account-import/create/creation-notifications.store.ts';
import type { CreationActivity } from '../../src/account-import/create/creation-activity.queue.ts';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';
import type { Database } from '../../src/platform/database/database.ts';
import { isTransientError, isOwnTimeout } from '../../src/platform/database/faults.ts';
import type { Log } from '../../src/platform/log.ts';
import { creationBudget } from '../../temporal.config.ts';
import { databaseFailure, onDatabase, timeoutFailure } from '../failures.ts';

export type AccountActivities = ReturnType<typeof accountActivities>;

export interface AccountActivityDeps {
  database: Database;
  /** A database with a longer statement timeout, for accounts in their own runs. */
  slowDatabase: Database;
  creation: CreationContext;
  /** Notified while requests wait for a creation. */
  activity: CreationActivity;
  log: Log;
}

/**
 * Timeout of the write that quarantines an account. It usually takes a few milliseconds: if it takes longer, the database as a whole is
 * slow, and the account is not the cause.
 */
const QUARANTINE_TIMEOUT_MS = 500;

/**
 * Activities of creation, one transaction each. They are idempotent: a second run finds the accounts of the first by their creation ids.
 */
export function accountActivities(deps: AccountActivityDeps) {
  return {
    /**
     * Creates a batch. A transient error fails the whole batch, which is retried; after a timeout the workflow splits the batch. If the
     * database rejects the data, the batch is bisected, and the rejected accounts are quarantined.
     */
    createFromStaged: (entries: CreationEntry[]): Promise<CreationOutcome[]> =>
      deps.activity.during(() => {
        const { workflowId } = activityInfo().workflowExecution!;
        return createBatch(deps, entries, (em, outcomes) => announceOutcomes(em, workflowId, outcomes));
      }),

    /** Creates a part of a batch that timed out. Its outcomes are not announced, because callers wait for the whole batch. */
    createPart: (entries: CreationEntry[]): Promise<CreationOutcome[]> => createBatch(deps, entries),

    /** Creates one account of a batch that timed out; quarantines the account if it times out alone too. */
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
  const [outcome] = await deps.slowDatabase.transaction((em) =>
    createFromStaged(em, [entry], { ...deps.creation, retriesTimedOut: true }),
  );
  return outcome as CreationOutcome;
}

async function createBatch(
  deps: AccountActivityDeps,
  entries: CreationEntry[],
  announce?: (em: EntityManager, outcomes: readonly CreationOutcome[]) => Promise<void>,
): Promise<CreationOutcome[]> {
  try {
    return await deps.database.transaction(async (em) => {
      const outcomes = await createFromStaged(em, entries, deps.creation);
      await announce?.(em, outcomes);
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
    return onDatabase(deps.log, 'creation failed', () => Promise.reject(error as Error));
  }
}
