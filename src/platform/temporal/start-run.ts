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
import { isNotFound } from './temporal-faults.ts';

interface RunToStart {
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

/** An open run. */
export interface FoundRun {
  runId: string;
  /** Number of history events, which grows with every step of the run. */
  historyLength: number;
  startedAt: Date;
}

/**
 * Finds the open run of a workflow id by describing it, because Temporal's lists lag.
 * @returns undefined if it is closed or unknown
 * @throws connection errors while Temporal is unavailable
 */
export async function findOpenRun(client: Client, workflowId: string): Promise<FoundRun | undefined> {
  try {
    const { status, runId, historyLength, startTime } = await client.workflow.getHandle(workflowId).describe();
    const isOpen = status.name === 'RUNNING' || status.name === 'PAUSED';
    return isOpen ? { runId, historyLength, startedAt: startTime } : undefined;
  } catch (error) {
    if (isNotFound(error) || (error as Error).name === 'WorkflowNotFoundError') return undefined;
    throw error;
  }
}

/**
 * Finds which of these workflow ids have an open run, with one query. The list lags by seconds.
 * @throws connection errors while Temporal is unavailable
 */
export async function findOpenRuns(client: Client, workflowIds: readonly string[]): Promise<Set<string>> {
  // An id with a quote would end the string of the query.
  const quoted = workflowIds.filter((id) => !/['\\]/.test(id)).map((id) => `'${id}'`);
  const open = new Set<string>();
  if (quoted.length === 0) return open;
  const query = `WorkflowId IN (${quoted.join(', ')}) AND ExecutionStatus = 'Running'`;
  for await (const { workflowId } of client.workflow.list({ query, pageSize: quoted.length })) open.add(workflowId);
  return open;
}
