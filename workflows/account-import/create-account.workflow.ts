import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { AccountActivities } from '../../activities/account-import/create-from-staged.activities.ts';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';
import { aloneQueueOf, creationBudget } from '../../temporal.config.ts';

const { startToCloseTimeout, initialInterval, backoffCoefficient, maximumInterval } = creationBudget.alone;

/**
 * Creates one quarantined account. It retries until the account is created or refused: after an operator has staged corrected data or
 * marked the account to skip, the next attempt ends the run.
 */
export async function createAccount(entry: CreationEntry): Promise<CreationOutcome> {
  setCurrentDetails(
    'The database rejects the data of this account, or times out; the pending activity shows which. Correct the data and stage it again, ' +
      'or mark the account to skip. The next attempt then ends this workflow. To retry now, choose "Reset" on the activity.',
  );
  const { createAlone } = proxyActivities<AccountActivities>({
    startToCloseTimeout,
    taskQueue: aloneQueueOf(workflowInfo().taskQueue),
    retry: { initialInterval, backoffCoefficient, maximumInterval },
  });
  return createAlone(entry);
}
