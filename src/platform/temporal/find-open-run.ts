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
