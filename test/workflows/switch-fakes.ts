import { randomUUID } from 'node:crypto';
import type { Client, WorkflowHandle } from '@temporalio/client';
import { Worker } from '@temporalio/worker';
import type { RequestActivities, SwitchSteps } from '../../activities/switching/switch-pages.activities.ts';
import type { PendingSwitches } from '../../src/switching/switch-page.store.ts';
import {
  switchBudget,
  type SwitchBudget,
  type SwitchPageBudget,
  switchPageBudget,
  workflowIds,
} from '../../temporal.config.ts';
import type { requestSwitches } from '../../workflows/switching/request-switches.workflow.ts';
import type { switchSupplier } from '../../workflows/switching/switch-supplier.workflow.ts';
import { openWorkflowEnvironment, sharedBundle } from './workflow-bundle.ts';

export type SwitchRun = WorkflowHandle<typeof switchSupplier>;
type PagesRun = WorkflowHandle<typeof requestSwitches>;

/** The real workflows of switches on a real server, with fake activities. */
export interface SwitchFakes {
  client: Client;
  start(accountNumber: string, budget?: SwitchBudget): Promise<SwitchRun>;
  startPages(budget?: Partial<SwitchPageBudget>): Promise<PagesRun>;
  stop(): Promise<void>;
}

/** A budget that is short enough for tests. */
export const shortBudget: SwitchBudget = {
  ...switchBudget,
  startToCloseTimeout: '1s',
  scheduleToCloseTimeout: '4s',
  initialInterval: '100ms',
  maximumInterval: '200ms',
};

/** Starts a worker on a separate task queue. */
export async function startSwitchFakes(
  address: string,
  activities: Partial<SwitchSteps & RequestActivities>,
): Promise<SwitchFakes> {
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
    startPages: (budget) =>
      client.workflow.start<typeof requestSwitches>('requestSwitches', {
        taskQueue,
        workflowId: `${workflowIds.requestSwitches}-${randomUUID()}`,
        args: [budget ? { budget: { ...switchPageBudget, ...budget } } : {}],
      }),
    stop: async () => {
      worker.shutdown();
      await running;
      await environment.teardown();
    },
  };
}

/** Answers of a fake activity, in order; the last one is repeated. */
export function answersOf<T>(...answers: T[]): () => Promise<T> {
  let given = 0;
  return async () => answers[Math.min(given++, answers.length - 1)]!;
}

export const nothing: PendingSwitches = { isSignalled: false, dueSeconds: null };
export const due: PendingSwitches = { isSignalled: false, dueSeconds: 0 };
export const signalled: PendingSwitches = { isSignalled: true, dueSeconds: null };
