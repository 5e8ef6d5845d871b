import type { WorkflowHandle } from '@temporalio/client';
import type { ReconciliationProgress } from '../../src/reconciliation/reconciliation-progress.rules.ts';

const running: ReconciliationProgress = { status: 'RUNNING', accounts: 500, businesses: 0, different: 0 };
const completed: ReconciliationProgress = { status: 'COMPLETED', accounts: 900, businesses: 3, different: 1 };

/** A branch of the workflow of reconciliations: the results of its rounds, and the actions on the run. */
interface ReconciliationBranch {
  rounds: readonly ReconciliationProgress[];
  meddle?(handle: WorkflowHandle): Promise<unknown>;
}

export const reconciliationBranches: Record<string, ReconciliationBranch> = {
  'reconcile.completed': { rounds: [running, running, completed] },
  'reconcile.cancelled': { rounds: [running], meddle: (handle) => handle.cancel() },
};
