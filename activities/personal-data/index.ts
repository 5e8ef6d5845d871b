export {
  retentionActivities,
  retentionSteps,
  type RetentionActivities,
  type RetentionDeps,
  type RetentionSteps,
} from './delete-expired.activities.ts';
