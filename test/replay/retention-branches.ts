import type { WorkflowHandle } from '@temporalio/client';
import type { RetentionProgress } from '../../src/personal-data/expire/retention.rules.ts';

const deleted = { created_payload: 200, never_created: 3, audit: 0, idempotency_key: 0 };
const running: RetentionProgress = { state: 'RUNNING', deleted };
const completed: RetentionProgress = { state: 'COMPLETED', deleted };

/** A branch of the workflow of the retention: the results of its rounds, and the actions on the run. */
interface RetentionBranch {
  rounds: readonly RetentionProgress[];
  meddle?(handle: WorkflowHandle): Promise<unknown>;
}

export const retentionBranches: Record<string, RetentionBranch> = {
  'retention.completed': { rounds: [running, completed] },
  'retention.cancelled': { rounds: [running], meddle: (handle) => handle.cancel() },
};
