import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { RetentionActivities, RetentionSteps } from '../../activities/personal-data/delete-expired.activities.ts';
import type {
  ReconciliationActivities,
  ReconciliationSteps,
} from '../../activities/reconciliation/reconcile-accounts.activities.ts';
import { taskQueues, workflowIds } from '../../temporal.config.ts';
import type { retention } from '../../workflows/personal-data/retention.workflow.ts';
import type { reconcile } from '../../workflows/reconciliation/reconcile.workflow.ts';
import { openWorkflowEnvironment, sharedBundle } from './workflow-bundle.ts';

/** The real workflows of reconciliations and the retention on a real server, with fake activities. */
export interface ReconciliationFakes {
  client: Client;
  start(): Promise<WorkflowHandle<typeof reconcile>>;
  startRetention(): Promise<WorkflowHandle<typeof retention>>;
  stop(): Promise<void>;
}

type FakeActivities = ReconciliationActivities & ReconciliationSteps & RetentionActivities & RetentionSteps;

/** Starts a worker for the workflows, and one for their pages. */
export async function startReconciliationFakes(
  address: string,
  { reconcileAccounts, deleteExpired, ...steps }: FakeActivities,
): Promise<ReconciliationFakes> {
  const workflowBundle = sharedBundle();
  const taskQueue = `reconciliation-fakes-${randomUUID()}`;
  const environment = await openWorkflowEnvironment(address);
  const { client, namespace, nativeConnection: connection } = environment;
  const common = { connection, namespace, identity: 'fakes' };
  const workers = [
    await Worker.create({ ...common, taskQueue, workflowBundle, activities: steps }),
    await Worker.create({
      ...common,
      taskQueue: taskQueues.reconciliation,
      activities: { reconcileAccounts, deleteExpired },
    }),
  ];
  const running = workers.map((worker) => worker.run());
  return {
    client,
    start: () => {
      const reconciliationId = randomUUID();
      return client.workflow.start<typeof reconcile>('reconcile', {
        taskQueue,
        workflowId: workflowIds.reconcile(reconciliationId),
        args: [{ reconciliationId, importSupplier: 'ACME' }],
      });
    },
    startRetention: () =>
      client.workflow.start<typeof retention>('retention', { taskQueue, workflowId: `retention/${randomUUID()}` }),
    stop: async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await environment.teardown();
    },
  };
}
