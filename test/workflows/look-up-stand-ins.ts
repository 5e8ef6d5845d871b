import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Client as TemporalClient } from '@temporalio/client';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { LookUpActivities, SupplyPointActivities } from '../../activities/supply-points/index.ts';
import { bundleWorkflows } from '../../src/platform/temporal/run-worker.ts';
import { lookUpQueues, workflowIds } from '../../temporal.config.ts';
import type { LookUpInput, lookUpSupplyPoints } from '../../workflows/supply-points/look-up-supply-points.workflow.ts';
import type { populateSupplyPoints } from '../../workflows/supply-points/populate-supply-points.workflow.ts';

/** The real workflows of look-ups on a real server, with activities that the test makes up. */
export interface LookUpStandIns {
  client: Client;
  startLookUps(input?: Partial<LookUpInput>): Promise<WorkflowHandle<typeof lookUpSupplyPoints> & { firstExecutionRunId: string }>;
  startBatch(): Promise<WorkflowHandle<typeof populateSupplyPoints>>;
  stop(): Promise<void>;
}

/** Starts a worker for the workflows, and one for the pages of Enedis, which has a queue of its own. */
export async function startLookUpStandIns(address: string, activities: Partial<LookUpActivities & SupplyPointActivities>, namespace = 'default'): Promise<LookUpStandIns> {
  const taskQueue = `stand-ins-${randomUUID()}`;
  const connection = await NativeConnection.connect({ address });
  const workers = [
    await Worker.create({ connection, namespace, taskQueue, workflowBundle: await bundleWorkflows(), activities, identity: 'stand-ins' }),
    await Worker.create({ connection, namespace, taskQueue: lookUpQueues.enedis, activities, identity: 'stand-ins' }),
  ];
  const running = workers.map((worker) => worker.run());
  const client = new TemporalClient({ connection, namespace, identity: 'stand-ins' });
  return {
    client,
    startLookUps: (input) => client.workflow.start<typeof lookUpSupplyPoints>('lookUpSupplyPoints', { taskQueue, workflowId: workflowIds.lookUpSupplyPoints('enedis'), args: [{ networkOperator: 'enedis', ...input }] }),
    startBatch: () => client.workflow.start<typeof populateSupplyPoints>('populateSupplyPoints', { taskQueue, workflowId: workflowIds.populateSupplyPoints(randomUUID()), args: [{ batchId: '0199a3c2-6f1e-7c40-9a53-1b2f6d0c8e77' }] }),
    stop: async () => {
      for (const worker of workers) worker.shutdown();
      await Promise.all(running);
      await connection.close();
    },
  };
}
