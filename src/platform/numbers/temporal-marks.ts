import { Client, WorkflowIdConflictPolicy, WorkflowNotFoundError } from '@temporalio/client';
import { taskQueues, workflowIds } from '../../../temporal.config.ts';
import type { NumberMarks } from './decide-reservation.ts';

export interface KeptMarks {
  marks: NumberMarks;
  /** Run whose memo stores the marks; undefined if it was terminated before its successor was started. */
  runId: string | undefined;
}

/** The run never executes. It exists only for its memo, which can be read and replaced without a worker. */
const NEVER = '36500d';

/** A run paused by an operator is open too. */
const OPEN: ReadonlySet<string> = new Set(['RUNNING', 'PAUSED']);

/** A client without payload encryption. The marks are not confidential and must stay readable if the payload key is changed or lost. */
function plainClient({ connection, options: { namespace } }: Client): Client {
  return new Client({ connection, namespace });
}

/** Reads the marks stored in Temporal; undefined if there are none. */
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
 * @throws if the stored marks are no longer `before`; nothing is then replaced
 */
export async function keepMarks(client: Client, before: KeptMarks | undefined, marks: NumberMarks): Promise<void> {
  // Of two concurrent replacements one terminates the run; the other gets an error.
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
