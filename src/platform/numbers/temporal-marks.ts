import { Client, WorkflowIdConflictPolicy, WorkflowNotFoundError } from '@temporalio/client';
import { taskQueues, workflowIds } from '../../../temporal.config.ts';
import type { NumberMarks } from './decide-reservation.ts';

export interface KeptMarks {
  marks: NumberMarks;
  /** The run that keeps them; undefined: it was ended, and its successor was never started. */
  runId: string | undefined;
}

/** Its first step never comes: the run is there for its memo only, which needs no worker to be read or replaced. */
const NEVER = '36500d';

/** A run that an operator has paused is open as well. */
const OPEN: ReadonlySet<string> = new Set(['RUNNING', 'PAUSED']);

/**
 * The marks are two numbers without any meaning for others, and must be readable as long as the database exists: they are stored as
 * plain JSON, so that numbers can be given even if the payload key was changed or lost.
 */
function plainClient({ connection, options: { namespace } }: Client): Client {
  return new Client({ connection, namespace });
}

/** Reads the marks that Temporal keeps; undefined: it keeps none. */
export async function readKeptMarks(client: Client): Promise<KeptMarks | undefined> {
  try {
    const { memo, runId, status } = await plainClient(client).workflow.getHandle(workflowIds.numberMarks).describe();
    const { account, business } = (memo ?? {}) as Partial<NumberMarks>;
    if (!Number.isSafeInteger(account) || !Number.isSafeInteger(business)) return undefined;
    return {
      marks: { account: account as number, business: business as number },
      runId: OPEN.has(status.name) ? runId : undefined,
    };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return undefined;
    throw error;
  }
}

/**
 * Replaces the marks, unless another process did so meanwhile.
 * @throws when they are no longer those that were read; then nothing was replaced
 */
export async function keepMarks(client: Client, before: KeptMarks | undefined, marks: NumberMarks): Promise<void> {
  // Of two that replace the same run one ends it; the other one receives the error that it has ended.
  if (before?.runId !== undefined) {
    await client.workflow.getHandle(workflowIds.numberMarks, before.runId).terminate('replaced by higher marks');
  }
  await plainClient(client).workflow.start('numberMarks', {
    workflowId: workflowIds.numberMarks,
    taskQueue: taskQueues.imports,
    workflowIdConflictPolicy: WorkflowIdConflictPolicy.FAIL,
    startDelay: NEVER,
    memo: { ...marks },
    staticSummary:
      'Keeps the highest numbers of accounts and businesses that were ever reserved; never runs, and must not be ended',
  });
}
