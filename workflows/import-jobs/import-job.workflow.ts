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
import type { ImportJobActivities, ImportJobSteps } from '../../activities/import-jobs/index.ts';
import { importJobBudget, taskQueues, wakeSignalOfKind } from '../../temporal.config.ts';
import { describeProgress } from '../../src/import-jobs/work-off/job-progress.rules.ts';

/** Sent when somebody started, paused, resumed or cancelled the job: look at it now. */
const jobChanged = defineSignal(wakeSignalOfKind['import-job'] as string);

const { workOffImportJob } = proxyActivities<ImportJobActivities>({
  taskQueue: taskQueues.importJobs,
  ...importJobBudget.work,
});
const { cancelImportJob } = proxyActivities<ImportJobSteps>(importJobBudget.step);

/**
 * Drives one import job to its end: works for a few seconds at a time, and shows how far it is in between. The job itself
 * is in the database; nothing of its lines comes here. Cancelling this run cancels the job.
 * @returns the status in which the job ended; `UNKNOWN` when there is no such job
 */
export async function importJob(input: { jobId: string; importSupplier: string }): Promise<string> {
  let isChanged = false;
  setHandler(jobChanged, () => {
    isChanged = true;
  });
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
