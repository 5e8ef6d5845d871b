import type { Client, WorkflowHandle, WorkflowStartOptions } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { describeRun, taskQueueOfKind, workflowOfKind, type RunKind } from '../../../temporal.config.ts';

export interface RunToStart {
  kind: RunKind;
  workflowId: string;
  /** Sole argument of the workflow: keys and codes only. */
  input: unknown;
}

export interface StartOptions extends Pick<
  WorkflowStartOptions,
  'requestEagerStart' | 'workflowTaskTimeout' | 'workflowIdConflictPolicy'
> {
  /** Signal for the run, whether it is open already or started now. */
  signal?: string | undefined;
}

/**
 * Starts a run. Used for all starts, by requests, the dispatcher and operators, so that every run has its summary and search attributes.
 * @throws WorkflowExecutionAlreadyStartedError if a run with this id is open, unless there is a signal or a conflict policy
 */
export async function startRun<Started extends Workflow>(
  client: Client,
  { kind, workflowId, input }: RunToStart,
  { signal, ...options }: StartOptions = {},
): Promise<WorkflowHandle<Started>> {
  const run = { ...options, ...describeRun(kind, input), workflowId, taskQueue: taskQueueOfKind(kind), args: [input] };
  return signal === undefined
    ? await client.workflow.start(workflowOfKind[kind], run)
    : await client.workflow.signalWithStart(workflowOfKind[kind], { ...run, signal });
}
