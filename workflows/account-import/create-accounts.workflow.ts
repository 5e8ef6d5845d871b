import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import {
  log,
  ParentClosePolicy,
  proxyLocalActivities,
  setWorkflowOptions,
  startChild,
  workflowInfo,
} from '@temporalio/workflow';
import type { AccountActivities } from '../../activities/account-import/create-from-staged.activities.ts';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';
import { creationBudget, describeRun, workflowIds } from '../../temporal.config.ts';
import { createAccount } from './create-account.workflow.ts';
import { createInParts, describeWaiting, hasTimedOut, waiting } from './create-slow-batch.workflow.ts';

const quick = proxyLocalActivities<AccountActivities>({
  startToCloseTimeout: creationBudget.firstTry.startToCloseTimeout,
  retry: { maximumAttempts: creationBudget.firstTry.maximumAttempts },
});

/**
 * Creates a batch of accounts in one transaction. While the database is away the batch waits as one activity, visible in the web
 * UI; a batch that takes too long is split; an account that the database rejects, or that takes too long even alone, is quarantined.
 * @returns one outcome per entry, in their order
 */
export async function createAccounts(input: { entries: CreationEntry[] }): Promise<CreationOutcome[]> {
  if (input.entries.length === 0) return [];
  const outcomes = await createBatch(input.entries);
  for (const [index, outcome] of outcomes.entries()) {
    if (outcome.kind === 'quarantined') await startSingle(input.entries[index] as CreationEntry);
  }
  return outcomes;
}

// Pinned to the build that started it, because it ends soon. Without worker deployments the server rejects steps with this option.
setWorkflowOptions(
  () => (workflowInfo().currentDeploymentVersion?.deploymentName ? { versioningBehavior: 'PINNED' } : {}),
  createAccounts,
);

async function createBatch(entries: CreationEntry[]): Promise<CreationOutcome[]> {
  try {
    return await quick.createFromStaged(entries);
  } catch (error) {
    if (hasTimedOut(error)) return createSlowBatch(entries);
    // Also reached after a timeout with unknown outcome: the creation ids make the second run safe.
    log.warn('creation waits for the database', { accounts: entries.length, fault: (error as Error).name });
  }
  describeWaiting(
    entries,
    'The batch waits for the database: check that the workers reach Postgres. It continues automatically when they do.',
  );
  try {
    return await waiting('Waits for the database', entries, workflowInfo().taskQueue).createFromStaged(entries);
  } catch (error) {
    if (hasTimedOut(error)) return createSlowBatch(entries);
    throw error;
  }
}

function createSlowBatch(entries: CreationEntry[]): Promise<CreationOutcome[]> {
  describeWaiting(
    entries,
    'The database needs too long for the batch, so it is created in parts. It continues automatically.',
  );
  return createInParts(entries);
}

async function startSingle(entry: CreationEntry): Promise<void> {
  try {
    await startChild(createAccount, {
      args: [entry],
      workflowId: workflowIds.createAccount(entry.importSupplier, entry.externalAccountNumber),
      taskQueue: workflowInfo().taskQueue,
      parentClosePolicy: ParentClosePolicy.ABANDON,
      ...describeRun('create-account', entry),
    });
  } catch (error) {
    // Already started by an earlier request, which this one joins.
    if (!(error instanceof WorkflowExecutionAlreadyStartedError)) throw error;
  }
}
