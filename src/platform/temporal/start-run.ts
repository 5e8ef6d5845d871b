import {
  type Client,
  WorkflowExecutionAlreadyStartedError,
  type WorkflowHandle,
  type WorkflowStartOptions,
} from '@temporalio/client';
import type { Workflow } from '@temporalio/common';
import {
  describeRun,
  taskQueueOfKind,
  wakeSignalOfKind,
  workflowOfKind,
  type RunKind,
} from '../../../temporal.config.ts';
import { type Log, loggedFault } from '../log.ts';
import type { TemporalGateway } from './temporal-gateway.ts';

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

/** Starts the runs of committed work items, so that they need not wait for the dispatcher. */
export interface WorkRuns {
  /**
   * Starts runs, and signals those that have a signal, also if they are open already. Call it after the commit. Never rejects: the
   * dispatcher starts runs that Temporal did not accept.
   */
  start(work: readonly (RunToStart & Pick<StartOptions, 'signal'>)[]): Promise<void>;
}

const START_DEADLINE_MS = 3_000;

/** Starts runs in Temporal, with the signals of `wakeSignalOfKind` unless they have their own. */
export function temporalWorkRuns({ gateway, log }: { gateway: TemporalGateway; log: Log }): WorkRuns {
  return {
    start: async (work) => {
      try {
        const client = gateway.client();
        await client.withDeadline(Date.now() + START_DEADLINE_MS, async () => {
          for (const { signal, ...run } of work) {
            await startRun(client, run, { signal: signal ?? wakeSignalOfKind[run.kind] });
          }
        });
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return;
        log.warn({ fault: loggedFault(error) }, 'run not started; the dispatcher starts it');
      }
    },
  };
}
