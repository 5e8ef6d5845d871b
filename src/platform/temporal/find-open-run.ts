import type { Client } from '@temporalio/client';
import { isNotFound } from './temporal-faults.ts';

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
