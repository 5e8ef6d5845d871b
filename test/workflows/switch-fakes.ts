import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { SwitchActivities } from '../../activities/switching/switch-supplier.activities.ts';
import type { NextStep } from '../../src/switching/switch-state.rules.ts';
import { switchBudget, type SwitchBudget, workflowIds } from '../../temporal.config.ts';
import type { switchSupplier } from '../../workflows/switching/switch-supplier.workflow.ts';
import { openWorkflowEnvironment, sharedBundle } from './workflow-bundle.ts';

export type SwitchRun = WorkflowHandle<typeof switchSupplier>;

/** The real workflow of the switch on a real server, with fake activities. */
export interface SwitchFakes {
  client: Client;
  start(accountNumber: string, budget?: SwitchBudget): Promise<SwitchRun>;
  stop(): Promise<void>;
}

/** A budget that is short enough for tests. */
export const shortBudget: SwitchBudget = {
  ...switchBudget,
  sending: {
    startToCloseTimeout: '1s',
    scheduleToCloseTimeout: '4s',
    initialInterval: '100ms',
    maximumInterval: '200ms',
  },
  silenceMs: 400,
};

/** Starts a worker on a separate task queue. */
export async function startSwitchFakes(address: string, activities: Partial<SwitchActivities>): Promise<SwitchFakes> {
  const workflowBundle = sharedBundle();
  const taskQueue = `switch-fakes-${randomUUID()}`;
  const environment = await openWorkflowEnvironment(address);
  const { client, namespace, nativeConnection: connection } = environment;
  const worker = await Worker.create({
    connection,
    namespace,
    taskQueue,
    workflowBundle,
    activities,
    identity: 'fakes',
  });
  const running = worker.run();
  return {
    client,
    start: (accountNumber, budget) =>
      client.workflow.start<typeof switchSupplier>('switchSupplier', {
        taskQueue,
        workflowId: workflowIds.switchSupplier(accountNumber),
        args: [
          {
            accountNumber,
            importSupplier: 'ACME',
            externalAccountNumber: `E-${accountNumber}`,
            ...(budget ? { budget } : {}),
          },
        ],
      }),
    stop: async () => {
      worker.shutdown();
      await running;
      await environment.teardown();
    },
  };
}

/** Steps that the fake database returns, in order; the last one is repeated. */
export function stepsOf(...steps: NextStep[]): () => Promise<NextStep> {
  let taken = 0;
  return async () => steps[Math.min(taken++, steps.length - 1)]!;
}
