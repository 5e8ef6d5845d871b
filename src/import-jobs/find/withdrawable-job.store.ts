import type { Queryable } from '../../platform/database/prepared-query.ts';
import { isRefused, refuse, type Refused } from '../../vocabulary/refusals.ts';
import type { ImportJobRecord } from '../import-job.entity.ts';
import { hasEnded } from '../import-job.rules.ts';
import { findJobOfRequest, type JobViewer } from '../import-job.store.ts';

/** Finds a job whose accounts can be withdrawn. @param viewer undefined for operators, who see all jobs */
export async function findWithdrawableJob(
  on: Queryable,
  jobId: string,
  viewer: JobViewer | undefined,
): Promise<ImportJobRecord | Refused> {
  const job = await findJobOfRequest(on, { params: { job: jobId } }, viewer);
  if (isRefused(job)) return job;
  const { kind, goal, status, resultsDeletedAt } = job;
  if (kind !== 'accounts' || goal !== 'CREATE') return notWithdrawable('The job creates no accounts.');
  if (!hasEnded(status)) return notWithdrawable(`The job has not ended; its status is ${status}.`);
  if (resultsDeletedAt !== null) return notWithdrawable('The results of the job were deleted.');
  return job;
}

function notWithdrawable(why: string): Refused {
  return refuse('import_job_not_withdrawable', {
    detail: `${why} Only an ended import job that created accounts and still has its results can be withdrawn.`,
  });
}
