import type { taskQueues } from '../temporal.config.ts';
import { accountActivities } from './account-import/index.ts';
import { deliveryActivities, deliverySteps, type DeliveryDeps } from './events/index.ts';
import { importJobActivities, importJobSteps, type WorkDeps } from './import-jobs/index.ts';
import { retentionActivities, retentionSteps, type RetentionDeps } from './personal-data/index.ts';
import { reconciliationActivities, reconciliationSteps, type ReconciliationDeps } from './reconciliation/index.ts';
import { vendorActivities, completingActivities } from './payment-instructions/index.ts';
import { lookupActivities, supplyPointActivities } from './supply-points/index.ts';
import { switchActivities, type SwitchDeps } from './switching/index.ts';

/** Dependencies of the activities, by queue. */
export interface ActivityDeps {
  imports: Parameters<typeof accountActivities>[0];
  vendors: Parameters<typeof vendorActivities>[0]['vendors'];
  lookups: Record<'enedis' | 'grdf', Parameters<typeof lookupActivities>[0]>;
  switching: Pick<SwitchDeps, 'industrySwitch' | 'leadDays'>;
  importJobs: WorkDeps;
  reconciliation: ReconciliationDeps;
  retention: RetentionDeps;
  events: Pick<DeliveryDeps, 'webhooks' | 'onCall'>;
}

/** Builds the activities of each task queue. */
export function buildActivities(deps: ActivityDeps) {
  const accounts = accountActivities(deps.imports);
  return {
    // Those of the other queue too: runs of an earlier version wait for them here.
    imports: {
      ...accounts,
      ...completingActivities(deps.imports),
      ...supplyPointActivities(deps.imports),
      ...importJobSteps(deps.imports),
      ...deliverySteps(deps.imports),
      ...reconciliationSteps({ ...deps.imports, version: deps.reconciliation.version }),
      ...retentionSteps(deps.imports),
    },
    importsAlone: accounts,
    payments: vendorActivities({ ...deps.imports, vendors: deps.vendors }),
    switching: switchActivities({ ...deps.imports, ...deps.switching }),
    importJobs: importJobActivities(deps.importJobs),
    reconciliation: { ...reconciliationActivities(deps.reconciliation), ...retentionActivities(deps.retention) },
    events: deliveryActivities({ ...deps.imports, ...deps.events }),
    lookupsEnedis: lookupActivities(deps.lookups.enedis),
    lookupsGrdf: lookupActivities(deps.lookups.grdf),
  } satisfies Record<Exclude<keyof typeof taskQueues, 'probe'>, object>;
}
