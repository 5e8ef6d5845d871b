import { defineSearchAttributeKey, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  ActivityFailure,
  ApplicationFailure,
  log,
  ParentClosePolicy,
  proxyActivities,
  proxyLocalActivities,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccountActivities } from '../../activities/account-import/index.ts';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';
import { aloneQueueOf, creationBudget, DATABASE_TIMED_OUT, workflowIds } from '../../temporal.config.ts';
import { createAccount } from './create-account.workflow.ts';

const quick = proxyLocalActivities<AccountActivities>({
  startToCloseTimeout: creationBudget.firstTry.startToCloseTimeout,
  retry: { maximumAttempts: creationBudget.firstTry.maximumAttempts },
});

/** How many accounts a summary names; it holds 200 bytes. */
const ACCOUNTS_NAMED_MAX = 4;

/**
 * Creates all accounts that waited at one moment, in one transaction. When the database is away the same batch waits as
 * one activity, to be seen in the web UI; when the batch takes too long it is split; an account whose data the database refuses,
 * or which takes too long even alone, goes on alone.
 * @returns one outcome per entry, in their order
 */
export async function createAccounts(input: { entries: CreationEntry[] }): Promise<CreationOutcome[]> {
  if (input.entries.length === 0) return [];
  const outcomes = await createBatch(input.entries);
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind === 'quarantined') await startAlone(input.entries[index] as CreationEntry);
  }
  return outcomes;
}

async function createBatch(entries: CreationEntry[]): Promise<CreationOutcome[]> {
  try {
    return await quick.createFromStaged(entries);
  } catch (error) {
    if (tookTooLong(error)) return createInParts(entries);
    // Also reached by a time-out of which nobody knows whether it committed: the creation ids make the second run safe.
    log.warn('creation waits for the database', { accounts: entries.length, fault: (error as Error).name });
  }
  try {
    return await waiting('Waits for the database', entries, workflowInfo().taskQueue).createFromStaged(entries);
  } catch (error) {
    if (tookTooLong(error)) return createInParts(entries);
    throw error;
  }
}

/**
 * Creates a batch that took too long in parts, one after the other, each in a transaction of its own; what is alone in its
 * part gets more time. No run of an earlier version comes here: its activities never failed for good.
 */
async function createInParts(entries: CreationEntry[]): Promise<CreationOutcome[]> {
  const [first] = entries as [CreationEntry];
  if (entries.length === 1) {
    return [
      await waiting(
        'Takes long',
        entries,
        aloneQueueOf(workflowInfo().taskQueue),
        creationBudget.waitingAlone,
      ).createWithMoreTime(first),
    ];
  }
  const outcomes: CreationOutcome[] = [];
  const size = Math.ceil(entries.length / creationBudget.partsOfSlowBatch);
  for (let from = 0; from < entries.length; from += size) {
    outcomes.push(...(await createPart(entries.slice(from, from + size))));
  }
  return outcomes;
}

async function createPart(entries: CreationEntry[]): Promise<CreationOutcome[]> {
  if (entries.length === 1) return createInParts(entries);
  try {
    return await waiting('Takes long', entries, aloneQueueOf(workflowInfo().taskQueue)).createPart(entries);
  } catch (error) {
    if (tookTooLong(error)) return createInParts(entries);
    throw error;
  }
}

function tookTooLong(error: unknown): boolean {
  // A local activity rejects with its own failure, a regular one with a failure around it.
  const cause = error instanceof ActivityFailure ? error.cause : error;
  return cause instanceof ApplicationFailure && cause.type === DATABASE_TIMED_OUT;
}

/** Activities that wait for the database for as long as it takes; the summary is what the web UI shows. */
function waiting(
  what: string,
  entries: readonly CreationEntry[],
  taskQueue: string,
  budget: typeof creationBudget.waiting | typeof creationBudget.waitingAlone = creationBudget.waiting,
) {
  const { startToCloseTimeout, initialInterval, backoffCoefficient, maximumInterval } = budget;
  const named = entries
    .slice(0, ACCOUNTS_NAMED_MAX)
    .map((entry) => entry.externalAccountNumber.slice(0, 24))
    .join(', ');
  const more = entries.length > ACCOUNTS_NAMED_MAX ? ` and ${entries.length - ACCOUNTS_NAMED_MAX} more` : '';
  return proxyActivities<AccountActivities>({
    startToCloseTimeout,
    taskQueue,
    retry: { initialInterval, backoffCoefficient, maximumInterval },
    summary: `${what}: ${named}${more}`,
  });
}

async function startAlone(entry: CreationEntry): Promise<void> {
  try {
    await startChild(createAccount, {
      args: [entry],
      workflowId: workflowIds.createAccount(entry.importSupplier, entry.externalAccountNumber),
      taskQueue: workflowInfo().taskQueue,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `One account of ${entry.importSupplier} that the database refuses, or that takes too long`,
      typedSearchAttributes: [
        { key: defineSearchAttributeKey('ImportKind', 'KEYWORD'), value: 'create-account' },
        { key: defineSearchAttributeKey('ImportSupplier', 'KEYWORD'), value: entry.importSupplier },
      ],
    });
  } catch (error) {
    // Already under way from an earlier request: whoever waits joins that one.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
