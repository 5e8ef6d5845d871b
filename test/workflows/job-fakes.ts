import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type {
  ImportJobActivities,
  ImportJobSteps,
} from '../../activities/import-jobs/work-off-import-job.activities.ts';
import { taskQueues, workflowIds } from '../../temporal.config.ts';
import type { importJob } from '../../workflows/import-jobs/import-job.workflow.ts';
import { openWorkflowEnvironment, sharedBundle } from './workflow-bundle.ts';

/** The real workflow of import jobs on a real server, with fake activities. */
export interface JobFakes {
  client: Client;
  start(jobId?: string): Promise<WorkflowHandle<typeof importJob> & { firstExecutionRunId: string }>;
  stop(): Promise<void>;
}

/** Starts a worker for the workflow, and one for its pages. */
export async function startJobFakes(
  address: string,
  { workOffImportJob, ...steps }: ImportJobActivities & ImportJobSteps,
): Promise<JobFakes> {
  const workflowBundle = sharedBundle();
  const taskQueue = `job-fakes-${randomUUID()}`;
  const environment = await openWorkflowEnvironment(address);
  const { client, namespace, nativeConnection: connection } = environment;
  const workers = [
    await Worker.create({ connection, namespace, taskQueue, workflowBundle, activities: steps, identity: 'fakes' }),
    await Worker.create({
      connection,
      namespace,
      taskQueue: taskQueues.importJobs,
      activities: { workOffImportJob },
      identity: 'fakes',
    }),
  ];
  const running = workers.map((worker) => worker.run());
  return {
    client,
    start: (jobId = randomUUID()) =>
      client.workflow.start<typeof importJob>('importJob', {
        taskQueue,
        workflowId: workflowIds.importJob(jobId),
        args: [{ jobId, importSupplier: 'ACME' }],
      }),
    stop: async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await environment.teardown();
    },
  };
}
