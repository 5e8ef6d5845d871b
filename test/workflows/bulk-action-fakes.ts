import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type {
  BulkActionActivities,
  BulkActionSteps,
} from '../../activities/bulk-actions/work-bulk-action.activities.ts';
import { taskQueues, workflowIds } from '../../temporal.config.ts';
import type { bulkAction } from '../../workflows/bulk-actions/bulk-action.workflow.ts';
import { openWorkflowEnvironment, sharedBundle } from './workflow-bundle.ts';

/** The real workflow of bulk actions on a real server, with fake activities. */
export interface BulkActionFakes {
  client: Client;
  start(): Promise<WorkflowHandle<typeof bulkAction>>;
  stop(): Promise<void>;
}

/** Starts a worker for the workflow, and one for its pages. */
export async function startBulkActionFakes(
  address: string,
  { workBulkAction, ...steps }: BulkActionActivities & BulkActionSteps,
): Promise<BulkActionFakes> {
  const workflowBundle = sharedBundle();
  const taskQueue = `bulk-action-fakes-${randomUUID()}`;
  const environment = await openWorkflowEnvironment(address);
  const { client, namespace, nativeConnection: connection } = environment;
  const common = { connection, namespace, identity: 'fakes' };
  const workers = [
    await Worker.create({ ...common, taskQueue, workflowBundle, activities: steps }),
    await Worker.create({ ...common, taskQueue: taskQueues.importJobs, activities: { workBulkAction } }),
  ];
  const running = workers.map((worker) => worker.run());
  return {
    client,
    start: () => {
      const bulkActionId = randomUUID();
      return client.workflow.start<typeof bulkAction>('bulkAction', {
        taskQueue,
        workflowId: workflowIds.bulkAction(bulkActionId),
        args: [{ bulkActionId }],
      });
    },
    stop: async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await environment.teardown();
    },
  };
}
