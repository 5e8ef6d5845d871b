import type { Client } from '@temporalio/client';
import { isNotFound } from './temporal-faults.ts';

/** A run that has not ended. */
export interface FoundRun {
  runId: string;
  /** Grows with all that happens in the run. */
  historyLength: number;
  startedAt: Date;
}

/**
 * The open run of a workflow id, by Temporal's own record and not by its lists, which lag and may come from another copy.
 * @returns undefined when it is closed, or unknown
 * @throws what the connection throws while Temporal is away
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
