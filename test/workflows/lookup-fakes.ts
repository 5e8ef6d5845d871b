import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import type { Duration } from '@temporalio/common';
import { Worker } from '@temporalio/worker';
import type { LookupActivities } from '../../activities/supply-points/lookup-page.activities.ts';
import type { SupplyPointActivities } from '../../activities/supply-points/steps.activities.ts';
import { lookupQueues, workflowIds } from '../../temporal.config.ts';
import type { LookupInput, lookUpSupplyPoints } from '../../workflows/supply-points/lookup-supply-points.workflow.ts';
import type { populateSupplyPoints } from '../../workflows/supply-points/populate-supply-points.workflow.ts';
import { openWorkflowEnvironment, sharedBundle } from './workflow-bundle.ts';

/** The real workflows of lookups on a real server, with fake activities. */
export interface LookupFakes {
  client: Client;
  startLookups(
    input?: Partial<LookupInput>,
  ): Promise<WorkflowHandle<typeof lookUpSupplyPoints> & { firstExecutionRunId: string }>;
  /** @param startDelay time before a worker gets the first task */
  startBatch(
    startDelay?: Duration,
  ): Promise<WorkflowHandle<typeof populateSupplyPoints> & { firstExecutionRunId: string }>;
  stop(): Promise<void>;
}

/** Starts a worker for the workflows, and one on the queue of Enedis for tests with pages. */
export async function startLookupFakes(
  address: string,
  activities: Partial<LookupActivities & SupplyPointActivities>,
): Promise<LookupFakes> {
  const workflowBundle = sharedBundle();
  const taskQueue = `lookup-fakes-${randomUUID()}`;
  const environment = await openWorkflowEnvironment(address);
  const { client, namespace, nativeConnection: connection } = environment;
  const workers = [
    await Worker.create({ connection, namespace, taskQueue, workflowBundle, activities, identity: 'fakes' }),
  ];
  if (activities.lookUpPage) {
    workers.push(
      await Worker.create({ connection, namespace, taskQueue: lookupQueues.enedis, activities, identity: 'fakes' }),
    );
  }
  const running = workers.map((worker) => worker.run());
  return {
    client,
    startLookups: (input) =>
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
