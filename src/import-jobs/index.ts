/** Public interface of import jobs. */
export { readJob, readJobsUnderWay, type FoundJob, type JobView } from './find/find-import-job.route.ts';
export { findJobWaits, type JobWait } from './find/job-waits.store.ts';
export { readJobs } from './find/find-import-job.route.ts';
export { countUploadedPages, eraseUploadedLines, findRunningJobs } from './erase/erase-lines.store.ts';
export {
  openJobForPerson,
  requestOfPerson,
  type KeyAsOwner,
  type OwnersRequest,
} from './open/create-import-job.route.ts';
export { findParts, readStoredBytes, type ImportJobPartRecord } from './upload/import-job-part.store.ts';
export { createPartReceiver, PART_BYTES_MAX } from './upload/upload-part.route.ts';
export { MANIFEST_BYTES_MAX } from './manifest/manifest-state.rules.ts';
export { compareWithRehearsal, type RehearsalComparison } from './results/compare-rehearsal.store.ts';
export { findOpenCauses, type OpenCause } from './results/open-causes.store.ts';
export { readStagedCauses } from './results/list-causes.route.ts';
export {
  countMissing,
  findJobsWithCause,
  findRejections,
  readRecords,
  withExampleDetails,
  type JobRecord,
  type Rejection,
} from './results/find-records.store.ts';
export { readResultsAsOperator } from './results/list-results.route.ts';
export {
  citeManifests,
  findManifest,
  findManifestsOfWaves,
  hasUncountedJobs,
  storeAcceptance,
  storeManifest,
  type WaveManifest,
} from './manifest/manifest.store.ts';
export { acceptDifferencesOfJob } from './manifest/accept-differences.route.ts';
export { pauseJobsOfKey } from './steer/steer-import-job.store.ts';
export { startJobForPerson, steerJobAsOperator, type JobVerb } from './steer/change-import-job.route.ts';
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
} from './steer/steer-import-job.store.ts';
export type { ImportJobColumns } from './import-job.entity.ts';
