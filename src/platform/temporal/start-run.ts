import type { Client, WorkflowHandle, WorkflowStartOptions } from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import { describeRun, taskQueues, workflowOfKind, type RunKind } from '../../../temporal.config.ts';

/** What is to run. */
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
  /** Told to the run that is there; one that is not there is started with it. */
  signal?: string | undefined;
}

/**
 * Starts a run. All starts of a kind come here, so that every run has its summary and its search attributes, whether a
 * request, the dispatcher or an operator has started it.
 * @throws WorkflowExecutionAlreadyStartedError when a run of this id is open, unless it is told a signal or the options say what is to be done then
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
