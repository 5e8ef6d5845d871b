import type { taskQueues } from '../temporal.config.ts';
import type { WorkRuns } from '../src/platform/temporal/start-run.ts';
import {
  bulkActionActivities,
  type BulkActionDeps,
  bulkActionSteps,
} from './bulk-actions/work-bulk-action.activities.ts';
import { accountActivities } from './account-import/create-from-staged.activities.ts';
import { deliveryActivities, type DeliveryDeps, deliverySteps } from './events/deliver-events.activities.ts';
import { importJobActivities, importJobSteps } from './import-jobs/work-off-import-job.activities.ts';
import type { WorkDeps } from '../src/import-jobs/work-off/job-at-work.store.ts';
import { retentionActivities, type RetentionDeps, retentionSteps } from './personal-data/delete-expired.activities.ts';
import {
  withdrawalActivities,
  type WithdrawalDeps,
  withdrawalSteps,
} from './withdrawal/withdraw-accounts.activities.ts';
import {
  reconciliationActivities,
  type ReconciliationDeps,
  reconciliationSteps,
} from './reconciliation/reconcile-accounts.activities.ts';
import {
  completingActivities,
  vendorActivities,
} from './payment-instructions/verify-payment-instruction.activities.ts';
import { lookupActivities } from './supply-points/lookup-page.activities.ts';
import { supplyPointActivities } from './supply-points/steps.activities.ts';
import { waveActivities } from './waves/advance-wave.activities.ts';
import { requestActivities, type RequestDeps, switchSteps } from './switching/switch-pages.activities.ts';

/** Dependencies of the activities, by queue. */
export interface ActivityDeps {
  imports: Parameters<typeof accountActivities>[0];
  vendors: Parameters<typeof vendorActivities>[0]['vendors'];
  lookups: Record<'enedis' | 'grdf', Parameters<typeof lookupActivities>[0]>;
  switching: Omit<RequestDeps, 'database' | 'log'>;
  importJobs: WorkDeps;
  reconciliation: ReconciliationDeps;
  retention: RetentionDeps;
  withdrawal: WithdrawalDeps;
  bulkActions: BulkActionDeps;
  /** Starts the jobs of waves. */
  runs: WorkRuns;
  events: Pick<DeliveryDeps, 'webhooks' | 'onCall'>;
}

/** Builds the activities of each task queue. */
export function buildActivities(deps: ActivityDeps) {
  const accounts = accountActivities(deps.imports);
  return {
    creations: accounts,
    creationsAlone: accounts,
    imports: {
      ...completingActivities(deps.imports),
      ...supplyPointActivities(deps.imports),
      ...importJobSteps(deps.imports),
      ...deliverySteps(deps.imports),
      ...reconciliationSteps({ ...deps.imports, version: deps.reconciliation.version }),
      ...retentionSteps(deps.imports),
      ...withdrawalSteps(deps.imports),
      ...bulkActionSteps(deps.imports),
      ...waveActivities({ ...deps.imports, runs: deps.runs }),
      ...switchSteps({ ...deps.imports, ...deps.switching }),
    },
    payments: vendorActivities({ ...deps.imports, vendors: deps.vendors }),
    switching: requestActivities({ ...deps.imports, ...deps.switching }),
    importJobs: {
      ...importJobActivities(deps.importJobs),
      ...withdrawalActivities(deps.withdrawal),
      ...bulkActionActivities(deps.bulkActions),
    },
    reconciliation: { ...reconciliationActivities(deps.reconciliation), ...retentionActivities(deps.retention) },
    events: deliveryActivities({ ...deps.imports, ...deps.events }),
    lookupsEnedis: lookupActivities(deps.lookups.enedis),
    lookupsGrdf: lookupActivities(deps.lookups.grdf),
  } satisfies Record<Exclude<keyof typeof taskQueues, 'probe'>, object>;
}
