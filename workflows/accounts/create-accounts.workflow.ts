import { defineSearchAttributeKey, WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { log, ParentClosePolicy, proxyActivities, proxyLocalActivities, startChild, workflowInfo } from '@temporalio/workflow';
import type { AccountActivities } from '../../activities/accounts/index.ts';
import type { CreationEntry, CreationOutcome } from '../../src/accounts/create-account.rules.ts';
import { creationBudget, workflowIds } from '../../temporal.config.ts';
import { createAccount } from './create-account.workflow.ts';

const quick = proxyLocalActivities<AccountActivities>({
  startToCloseTimeout: creationBudget.firstTry.startToCloseTimeout,
  retry: { maximumAttempts: creationBudget.firstTry.maximumAttempts },
});

/** How many accounts a summary names; it holds 200 bytes. */
const ACCOUNTS_NAMED_MAX = 4;

/**
 * Creates all accounts that waited at one moment, in one transaction. When the database is away the same batch waits as
 * one activity, to be seen in the web UI; an account whose data the database refuses goes on alone (design 3, "Create").
 * @returns one outcome per entry, in their order
 */
export async function createAccounts(input: { entries: CreationEntry[] }): Promise<CreationOutcome[]> {
  if (input.entries.length === 0) return [];
  const outcomes = await createBatch(input.entries);
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind === 'handed-over') await startAlone(input.entries[index] as CreationEntry);
  }
  return outcomes;
}

async function createBatch(entries: CreationEntry[]): Promise<CreationOutcome[]> {
  try {
    return await quick.createFromStaged(entries);
  } catch (error) {
    // Also reached by a time-out of which nobody knows whether it committed: the creation ids make the second run safe.
    log.warn('creation waits for the database', { accounts: entries.length, fault: (error as Error).name });
  }
  const { startToCloseTimeout, initialInterval, backoffCoefficient, maximumInterval } = creationBudget.waiting;
  const named = entries.slice(0, ACCOUNTS_NAMED_MAX).map((entry) => entry.externalAccountNumber.slice(0, 24)).join(', ');
  const more = entries.length > ACCOUNTS_NAMED_MAX ? ` and ${entries.length - ACCOUNTS_NAMED_MAX} more` : '';
  const waiting = proxyActivities<AccountActivities>({
    startToCloseTimeout,
    retry: { initialInterval, backoffCoefficient, maximumInterval },
    summary: `Waits for the database: ${named}${more}`,
  });
  return waiting.createFromStaged(entries);
}

async function startAlone(entry: CreationEntry): Promise<void> {
  try {
    await startChild(createAccount, {
      args: [entry],
      workflowId: workflowIds.createAccount(entry.importSupplier, entry.externalAccountNumber),
      taskQueue: workflowInfo().taskQueue,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      staticSummary: `One account of ${entry.importSupplier} that the database refuses`,
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
