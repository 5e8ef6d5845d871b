import { Context } from '@temporalio/activity';
import { changeOfCancel } from '../../src/import-jobs/import-job.rules.ts';
import { changeJob, lockJob } from '../../src/import-jobs/import-job.store.ts';
import type { JobProgress } from '../../src/import-jobs/work-off/job-progress.rules.ts';
import { workOffJob } from '../../src/import-jobs/work-off/work-off-job.store.ts';
import type { WorkDeps } from '../../src/import-jobs/work-off/job-at-work.store.ts';
import type { Database } from '../../src/platform/database/database.ts';
import type { Log } from '../../src/platform/log.ts';
import { isRefused } from '../../src/vocabulary/refusals.ts';
import { VendorError } from '../../src/vocabulary/vendor-errors.ts';
import { onDatabase, vendorFailure } from '../failures.ts';
import { withHeartbeat } from '../heartbeat.ts';

export type ImportJobActivities = ReturnType<typeof importJobActivities>;
export type ImportJobSteps = ReturnType<typeof importJobSteps>;

/** The activity of the queue of import jobs. Concurrent runs process each page once. */
export function importJobActivities(deps: WorkDeps) {
  return {
    /** Works on a job for some seconds. @returns its progress; null if the job does not exist */
    async workOffImportJob(jobId: string): Promise<JobProgress | null> {
      const { cancellationSignal: cancelled } = Context.current();
      try {
        return await withHeartbeat(() => workOffJob(deps, jobId, cancelled));
      } catch (error) {
        if (error instanceof VendorError) throw vendorFailure(error);
        return await onDatabase(deps.log, 'import job not continued', () => Promise.reject(error as Error), { jobId });
      }
    },
  };
}

/** Short steps of import jobs. */
export function importJobSteps({ database, log }: { database: Database; log: Log }) {
  return {
    /** Cancels a job after its run was cancelled in Temporal's web UI. */
    cancelImportJob: (jobId: string): Promise<void> =>
      onDatabase(log, 'import job not cancelled', () =>
        database.transaction(async (em) => {
          const job = await lockJob(em, jobId);
          if (job === undefined) return;
          const change = changeOfCancel({ ...job, pausedBecause: job.pausedBecause ?? null });
          if (change !== undefined && !isRefused(change)) await changeJob(em, job, change);
        }),
      ),
  };
}
