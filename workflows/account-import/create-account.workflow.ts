import { proxyActivities, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { AccountActivities } from '../../activities/account-import/index.ts';
import type { CreationEntry, CreationOutcome } from '../../src/account-import/create/create-account.rules.ts';
import { aloneQueueOf, creationBudget } from '../../temporal.config.ts';

const { startToCloseTimeout, initialInterval, backoffCoefficient, maximumInterval } = creationBudget.alone;

/**
 * Creates one account whose data failed in a batch, or which takes too long. It is tried until it goes through or is refused for good: after the
 * account was staged again with corrected data, or after it was marked to skip, the next attempt ends it.
 */
export async function createAccount(entry: CreationEntry): Promise<CreationOutcome> {
  setCurrentDetails(
    'The database refuses the data of this account, or does not get through with it; the pending activity says which. Correct the data and stage it again, ' +
      'or mark the account to skip. The next attempt then ends this workflow; "Reset" on the activity tries at once.',
  );
  const { createAlone } = proxyActivities<AccountActivities>({
    startToCloseTimeout,
    taskQueue: aloneQueueOf(workflowInfo().taskQueue),
    retry: { initialInterval, backoffCoefficient, maximumInterval },
  });
  return createAlone(entry);
}
