export {
  reconciliationActivities,
  reconciliationSteps,
  type ReconciliationActivities,
  type ReconciliationDeps,
  type ReconciliationSteps,
} from './reconcile-accounts.activities.ts';
