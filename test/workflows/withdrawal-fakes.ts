import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type {
  WithdrawalActivities,
  WithdrawalSteps,
} from '../../activities/withdrawal/withdraw-accounts.activities.ts';
import { taskQueues, workflowIds } from '../../temporal.config.ts';
import type { withdraw } from '../../workflows/withdrawal/withdraw.workflow.ts';
import { openWorkflowEnvironment, sharedBundle } from './workflow-bundle.ts';

/** The real workflow of withdrawals on a real server, with fake activities. */
export interface WithdrawalFakes {
  client: Client;
  start(): Promise<WorkflowHandle<typeof withdraw>>;
  stop(): Promise<void>;
}

/** Starts a worker for the workflow, and one for its pages. */
export async function startWithdrawalFakes(
  address: string,
  { withdrawAccounts, ...steps }: WithdrawalActivities & WithdrawalSteps,
): Promise<WithdrawalFakes> {
  const workflowBundle = sharedBundle();
  const taskQueue = `withdrawal-fakes-${randomUUID()}`;
  const environment = await openWorkflowEnvironment(address);
  const { client, namespace, nativeConnection: connection } = environment;
  const common = { connection, namespace, identity: 'fakes' };
  const workers = [
    await Worker.create({ ...common, taskQueue, workflowBundle, activities: steps }),
    await Worker.create({ ...common, taskQueue: taskQueues.importJobs, activities: { withdrawAccounts } }),
  ];
  const running = workers.map((worker) => worker.run());
  return {
    client,
    start: () => {
      const withdrawalId = randomUUID();
      return client.workflow.start<typeof withdraw>('withdraw', {
        taskQueue,
        workflowId: workflowIds.withdraw(withdrawalId),
        args: [{ withdrawalId, importSupplier: 'ACME' }],
      });
    },
    stop: async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await environment.teardown();
    },
  };
}
