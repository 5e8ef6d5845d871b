import { findUnfinishedJobs } from '../import-jobs/index.ts';
import { findUnfinishedWaves } from '../waves/index.ts';
import { findUnfinishedVerifications } from '../payment-instructions/index.ts';
import { startWorkItem } from '../platform/work-items/dispatch-work-items.ts';
import { enqueueWork } from '../platform/work-items/work-item.store.ts';
import type { UnfinishedState } from '../platform/work-items/compared-work.store.ts';
import { findUnfinishedReconciliations } from '../reconciliation/index.ts';
import { accountsIn } from '../stuck/index.ts';
import { findUnfinishedBatches, findUnfinishedLookups } from '../supply-points/index.ts';
import { findUnfinishedSwitches } from '../switching/index.ts';
import { findUnfinishedBulkActions } from '../bulk-actions/index.ts';
import { findUnfinishedWithdrawals } from '../withdrawal/index.ts';
import { keyedPage, type CheckStep, type Mismatch, type CheckDeps } from './check-step.rules.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

type Finder = (after: string, limit: number) => Promise<UnfinishedState[]>;

/** Open states in Postgres: each must have a work item, written in the same transaction. */
export function unfinishedSteps(deps: CheckDeps): CheckStep[] {
  const { database, settings } = deps;
  const byId = (name: string, find: Finder): CheckStep => ({
    ...stepOf(deps, name, (after, limit) => find(after || BEFORE_ALL, limit)),
    isPosition: (after) => UUID.test(after),
  });
  return [
    byId('jobs', (after, limit) => findUnfinishedJobs(database, after, limit)),
    byId('waves', (after, limit) => findUnfinishedWaves(database, after, limit)),
    byId('reconciliations', (after, limit) => findUnfinishedReconciliations(database, after, limit)),
    byId('withdrawals', (after, limit) => findUnfinishedWithdrawals(database, after, limit)),
    byId('bulk-actions', (after, limit) => findUnfinishedBulkActions(database, after, limit)),
    byId('batches', (after, limit) => findUnfinishedBatches(database, after, limit)),
    stepOf(deps, 'look-ups', (after, limit) => findUnfinishedLookups(database, after, limit)),
    stepOf(deps, 'verifications', (after, limit) =>
      findUnfinishedVerifications(database, after, limit, settings.PAYMENT_BUDGET_MS),
    ),
    stepOf(deps, 'switches', (after, limit) => findUnfinishedSwitches(database, after, limit)),
  ];
}

function stepOf(deps: CheckDeps, name: string, find: Finder): CheckStep {
  return {
    name,
    comparePage: async (after, limit) => {
      const states = await find(after, limit);
      const found = states.filter(({ hasWork }) => !hasWork).map((state) => withoutWork(deps, state));
      return keyedPage(states, limit, ({ key }) => key, found);
    },
  };
}

function withoutWork(deps: CheckDeps, { work, since }: UnfinishedState): Mismatch {
  return {
    kind: 'open_without_work_item',
    subject: work.workflowId,
    accounts: accountsIn(work.input),
    since,
    detail: 'It is open in the database, but has no work item.',
    repair: { store: (em) => enqueueWork(em, [work]), act: () => startWorkItem(deps, work) },
  };
}
