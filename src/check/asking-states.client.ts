import { findAskingJobs } from '../import-jobs/index.ts';
import { findAskingVerifications } from '../payment-instructions/index.ts';
import { startWorkItem } from '../platform/work-items/dispatch-work-items.ts';
import { enqueueWork } from '../platform/work-items/work-item.store.ts';
import type { AskingState } from '../platform/work-items/compared-work.store.ts';
import { findAskingReconciliations } from '../reconciliation/index.ts';
import { accountsIn } from '../stuck/index.ts';
import { findAskingBatches, findAskingLookups } from '../supply-points/index.ts';
import { findAskingSwitches } from '../switching/index.ts';
import { lookedAtPage, type CheckStep, type Mismatch, type CheckDeps } from './check-step.rules.ts';

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000';

type Finder = (after: string, limit: number) => Promise<AskingState[]>;

/** Open states in Postgres: each must have a work item, written in the same transaction. */
export function askingSteps(deps: CheckDeps): CheckStep[] {
  const { database, settings } = deps;
  const byId = (name: string, find: Finder): CheckStep => ({
    ...stepOf(deps, name, (after, limit) => find(after || BEFORE_ALL, limit)),
    isPlace: (after) => UUID.test(after),
  });
  return [
    byId('jobs', (after, limit) => findAskingJobs(database, after, limit)),
    byId('reconciliations', (after, limit) => findAskingReconciliations(database, after, limit)),
    byId('batches', (after, limit) => findAskingBatches(database, after, limit)),
    stepOf(deps, 'look-ups', (after, limit) => findAskingLookups(database, after, limit)),
    stepOf(deps, 'verifications', (after, limit) =>
      findAskingVerifications(database, after, limit, settings.PAYMENT_BUDGET_MS),
    ),
    stepOf(deps, 'switches', (after, limit) => findAskingSwitches(database, after, limit)),
  ];
}

function stepOf(deps: CheckDeps, name: string, find: Finder): CheckStep {
  return {
    name,
    look: async (after, limit) => {
      const states = await find(after, limit);
      const found = states.filter(({ hasWork }) => !hasWork).map((state) => withoutWork(deps, state));
      return lookedAtPage(states, limit, ({ key }) => key, found);
    },
  };
}

function withoutWork(deps: CheckDeps, { work, since }: AskingState): Mismatch {
  return {
    kind: 'open_without_work_item',
    subject: work.workflowId,
    accounts: accountsIn(work.input),
    since,
    detail: 'It is open in the database and has no work item.',
    mend: { store: (em) => enqueueWork(em, [work]), act: () => startWorkItem(deps, work) },
  };
}
