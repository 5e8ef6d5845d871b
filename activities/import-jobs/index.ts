export {
  importJobActivities,
  importJobSteps,
  type ImportJobActivities,
  type ImportJobSteps,
} from './work-off-import-job.activities.ts';
export type { WorkDeps } from '../../src/import-jobs/work-off/work-step.store.ts';
