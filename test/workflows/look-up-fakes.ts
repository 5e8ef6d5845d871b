import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import type { LookUpActivities, SupplyPointActivities } from '../../activities/supply-points/index.ts';
import { lookUpQueues, workflowIds } from '../../temporal.config.ts';
import type { LookUpInput, lookUpSupplyPoints } from '../../workflows/supply-points/look-up-supply-points.workflow.ts';
import type { populateSupplyPoints } from '../../workflows/supply-points/populate-supply-points.workflow.ts';
import { sharedBundle, openWorkflowEnvironment } from './workflow-bundle.ts';

/** The real workflows of look-ups on a real server, with activities that the test makes up. */
export interface LookUpFakes {
  client: Client;
  startLookUps(
    input?: Partial<LookUpInput>,
  ): Promise<WorkflowHandle<typeof lookUpSupplyPoints> & { firstExecutionRunId: string }>;
  /** @param startDelay how long no worker is to take it up */
  startBatch(
    startDelay?: Duration,
  ): Promise<WorkflowHandle<typeof populateSupplyPoints> & { firstExecutionRunId: string }>;
  stop(): Promise<void>;
}

/** Starts a worker for the workflows, and one on the queue of Enedis when a test asks for pages. */
export async function startLookUpFakes(
  address: string,
  activities: Partial<LookUpActivities & SupplyPointActivities>,
  namespace = 'default',
): Promise<LookUpFakes> {
  const workflowBundle = sharedBundle();
  const taskQueue = `look-up-fakes-${randomUUID()}`;
  const environment = await openWorkflowEnvironment(address, namespace);
  const { client, nativeConnection: connection } = environment;
  const workers = [
    await Worker.create({ connection, namespace, taskQueue, workflowBundle, activities, identity: 'fakes' }),
  ];
  if (activities.lookUpPage) {
    workers.push(
      await Worker.create({ connection, namespace, taskQueue: lookUpQueues.enedis, activities, identity: 'fakes' }),
    );
  }
  const running = workers.map((worker) => worker.run());
  return {
    client,
    startLookUps: (input) =>
      client.workflow.start<typeof lookUpSupplyPoints>('lookUpSupplyPoints', {
        taskQueue,
        workflowId: workflowIds.lookUpSupplyPoints('enedis'),
        args: [{ networkOperator: 'enedis', ...input }],
      }),
    startBatch: (startDelay) =>
      client.workflow.start<typeof populateSupplyPoints>('populateSupplyPoints', {
        taskQueue,
        workflowId: workflowIds.populateSupplyPoints(randomUUID()),
        args: [{ batchId: '0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77' }],
        ...(startDelay === undefined ? {} : { startDelay }),
      }),
    stop: async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await environment.teardown();
    },
  };
}
