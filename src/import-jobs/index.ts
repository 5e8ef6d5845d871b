/** Public interface of import jobs. */
export { readJob, readJobsUnderWay, type JobView } from './find/find-import-job.route.ts';
export { findJobWaits, type JobWait } from './find/job-waits.store.ts';
export { readJobs } from './find/find-import-job.route.ts';
export { countUploadedPages, eraseUploadedLines, findRunningJobs } from './erase/erase-lines.store.ts';
export { readStoredBytes } from './upload/import-job-part.store.ts';
export { readStagedCauses } from './results/list-causes.route.ts';
export {
  findJobsWithCause,
  findRejections,
  readRecords,
  withExampleDetails,
  type JobRecord,
  type Rejection,
} from './results/find-records.store.ts';
export { readResultsAsOperator } from './results/list-results.route.ts';
export {
  findManifest,
  findManifestsOfWaves,
  hasUncountedJobs,
  storeAcceptance,
  storeManifest,
  type WaveManifest,
} from './manifest/manifest.store.ts';
export { citeManifests } from './manifest/cited-manifests.store.ts';
export { acceptDifferencesOfJob } from './manifest/accept-differences.route.ts';
export { pauseJobsOfKey } from './steer/steer-import-job.store.ts';
export { steerJobAsOperator, type JobVerb } from './steer/change-import-job.route.ts';
export { findWithdrawableJob } from './find/withdrawable-job.store.ts';
export { countUploadedAccounts, findJobOfRequest, findPausedJobs, findUnfinishedJobs } from './import-job.store.ts';
export {
  cancelJobOfWave,
  findJobRate,
  findJobsAtWork,
  findJobState,
  findMeasuredRate,
  pauseJobOfWave,
  resumeJobOfWave,
  startJobOfWave,
} from './steer/wave-job.store.ts';
export type { ImportJobColumns } from './import-job.entity.ts';
