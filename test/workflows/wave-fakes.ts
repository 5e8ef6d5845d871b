import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { WaveActivities } from '../../activities/waves/advance-wave.activities.ts';
import { workflowIds } from '../../temporal.config.ts';
import type { wave } from '../../workflows/waves/wave.workflow.ts';
import { openWorkflowEnvironment, sharedBundle } from './workflow-bundle.ts';

/** The real workflow of waves on a real server, with fake activities. */
export interface WaveFakes {
  client: Client;
  start(): Promise<WorkflowHandle<typeof wave>>;
  stop(): Promise<void>;
}

/** Starts a worker for the workflow and its steps. */
export async function startWaveFakes(address: string, activities: WaveActivities): Promise<WaveFakes> {
  const workflowBundle = sharedBundle();
  const taskQueue = `wave-fakes-${randomUUID()}`;
  const environment = await openWorkflowEnvironment(address);
  const { client, namespace, nativeConnection: connection } = environment;
  const worker = await Worker.create({
    connection,
    namespace,
    identity: 'fakes',
    taskQueue,
    workflowBundle,
    activities,
  });
  const running = worker.run();
  return {
    client,
    start: () => {
      const waveId = randomUUID();
      return client.workflow.start<typeof wave>('wave', {
        taskQueue,
        workflowId: workflowIds.wave(waveId),
        args: [{ waveId, importSupplier: 'ACME' }],
      });
    },
    stop: async () => {
      worker.shutdown();
      await running;
      await environment.teardown();
    },
  };
}
