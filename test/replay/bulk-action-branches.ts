import type { WorkflowHandle } from '@temporalio/client';
import type { BulkProgress } from '../../src/bulk-actions/bulk-progress.rules.ts';
import { wakeSignalOfKind } from '../../temporal.config.ts';

const running: BulkProgress = { status: 'RUNNING', matched: 900, handled: 500 };
const completed: BulkProgress = { status: 'COMPLETED', matched: 900, handled: 900 };

/** A branch of the workflow of bulk actions: the results of its rounds, and the actions on the run. */
interface BulkActionBranch {
  rounds: readonly BulkProgress[];
  meddle?(handle: WorkflowHandle): Promise<unknown>;
}

export const bulkActionBranches: Record<string, BulkActionBranch> = {
  'bulk-action.completed': { rounds: [running, running, completed] },
  'bulk-action.paused': {
    rounds: [{ ...running, status: 'PAUSED' }, completed],
    meddle: (handle) => handle.signal(wakeSignalOfKind['bulk-action'] as string),
  },
  'bulk-action.cancelled': { rounds: [running], meddle: (handle) => handle.cancel() },
};
