import type { Client, WorkflowHandle, WorkflowStartOptions } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { describeRun, taskQueues, workflowOfKind, type RunKind } from '../../../temporal.config.ts';

/** A run to start. */
export interface RunToStart {
  kind: RunKind;
  workflowId: string;
  /** Sole argument of the workflow; keys and codes only. */
  input: unknown;
}

/** How it is started. */
export interface StartOptions extends Pick<
  WorkflowStartOptions,
  'requestEagerStart' | 'workflowTaskTimeout' | 'workflowIdConflictPolicy'
> {
  /** Sent to the open run, or to the run that is started. */
  signal?: string | undefined;
}

/**
 * Starts a run. All starts of a kind come here, so that every run has its summary and its search attributes, whether a
 * request, the dispatcher or an operator has started it.
 * @throws WorkflowExecutionAlreadyStartedError if a run of this id is open, unless there is a signal or the options define a conflict policy
 */
export async function startRun<Started extends Workflow>(
  client: Client,
  { kind, workflowId, input }: RunToStart,
  { signal, ...options }: StartOptions = {},
): Promise<WorkflowHandle<Started>> {
  const run = { ...options, ...describeRun(kind, input), workflowId, taskQueue: taskQueues.imports, args: [input] };
  return signal === undefined
    ? await client.workflow.start(workflowOfKind[kind], run)
    : await client.workflow.signalWithStart(workflowOfKind[kind], { ...run, signal });
}
