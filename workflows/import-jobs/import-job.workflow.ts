import {
  CancellationScope,
  condition,
  continueAsNew,
  defineSignal,
  isCancellation,
  proxyActivities,
  setCurrentDetails,
  setHandler,
} from '@temporalio/workflow';
import type {
  ImportJobActivities,
  ImportJobSteps,
} from '../../activities/import-jobs/work-off-import-job.activities.ts';
import { importJobBudget, retryDetails, taskQueues, wakeSignalOfKind } from '../../temporal.config.ts';
import { describeProgress } from '../../src/import-jobs/work-off/job-progress.rules.ts';

/** Sent after the job was started, paused, resumed or cancelled. */
const jobChanged = defineSignal(wakeSignalOfKind['import-job'] as string);

const { workOffImportJob } = proxyActivities<ImportJobActivities>({
  taskQueue: taskQueues.importJobs,
  ...importJobBudget.work,
});
const { cancelImportJob } = proxyActivities<ImportJobSteps>(importJobBudget.step);

/**
 * Runs one import job to its end, a few seconds per activity, and shows the progress. The job is stored in the database; the history
 * contains no lines. Cancelling this run cancels the job.
 * @returns the final status of the job; `UNKNOWN` if the job does not exist
 */
export async function importJob(input: { jobId: string; importSupplier: string }): Promise<string> {
  let isChanged = false;
  setHandler(jobChanged, () => {
    isChanged = true;
  });
  setCurrentDetails(retryDetails);
  try {
    for (let rounds = 0; rounds < importJobBudget.roundsPerRun || isChanged; rounds += 1) {
      isChanged = false;
      const progress = await workOffImportJob(input.jobId);
      if (progress === null) return 'UNKNOWN';
      setCurrentDetails(describeProgress(progress));
      if (progress.hasEnded) return progress.status;
      if (progress.waitMs > 0) await condition(() => isChanged, progress.waitMs);
    }
  } catch (error) {
    if (isCancellation(error)) await CancellationScope.nonCancellable(() => cancelImportJob(input.jobId));
    throw error;
  }
  return continueAsNew<typeof importJob>(input);
}
