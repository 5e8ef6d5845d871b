import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { DeliveryActivities, DeliverySteps } from '../../activities/events/deliver-events.activities.ts';
import { type DeliveryBudget, taskQueues, workflowIds } from '../../temporal.config.ts';
import type { deliverEvents } from '../../workflows/events/deliver-events.workflow.ts';
import { openWorkflowEnvironment, sharedBundle } from './workflow-bundle.ts';

/** The real workflow of deliveries on a real server, with fake activities. */
export interface DeliveryFakes {
  client: Client;
  start(budget?: DeliveryBudget): Promise<WorkflowHandle<typeof deliverEvents>>;
  stop(): Promise<void>;
}

/** Short backoffs, and a budget that is long enough for slow machines. */
export const patientBudget: DeliveryBudget = {
  deliver: {
    startToCloseTimeout: '60s',
    scheduleToCloseTimeout: '10m',
    heartbeatTimeout: '30s',
    initialInterval: '50ms',
    backoffCoefficient: 2,
    maximumInterval: '200ms',
  },
};

/** A budget of two seconds in place of a day. */
export const shortBudget: DeliveryBudget = { deliver: { ...patientBudget.deliver, scheduleToCloseTimeout: '2s' } };

/** Starts a worker for the workflow, and one for its deliveries. */
export async function startDeliveryFakes(
  address: string,
  { deliverSomeEvents, ...steps }: DeliveryActivities & DeliverySteps,
): Promise<DeliveryFakes> {
  const workflowBundle = sharedBundle();
  const taskQueue = `delivery-fakes-${randomUUID()}`;
  const environment = await openWorkflowEnvironment(address);
  const { client, namespace, nativeConnection: connection } = environment;
  const common = { connection, namespace, identity: 'fakes' };
  const workers = [
    await Worker.create({ ...common, taskQueue, workflowBundle, activities: steps }),
    await Worker.create({ ...common, taskQueue: taskQueues.events, activities: { deliverSomeEvents } }),
  ];
  const running = workers.map((worker) => worker.run());
  return {
    client,
    start: (budget = patientBudget) => {
      const endpointId = randomUUID();
      return client.workflow.start<typeof deliverEvents>('deliverEvents', {
        taskQueue,
        workflowId: workflowIds.deliverEvents(endpointId),
        args: [{ endpointId, importSupplier: 'ACME', budget }],
      });
    },
    stop: async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await environment.teardown();
    },
  };
}
