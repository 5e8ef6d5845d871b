import type { Queryable } from '../platform/database/prepared-query.ts';
import type { AuthenticatedRequest } from '../platform/http/route.ts';
import type { Refused } from '../vocabulary/refusals.ts';
import { isJobId, unknownJob } from './import-job-request.rules.ts';
import { findJob, type ImportJobRecord, type JobViewer } from './import-job.store.ts';

/**
 * The job that a path names by `:job`, if it can be seen.
 * @param viewer the caller on the paths of suppliers, whatever its role: what operators read of people is written down by their own paths; there undefined
 */
export async function findJobOfRequest(
  on: Queryable,
  { params }: Pick<AuthenticatedRequest, 'params'>,
  viewer: JobViewer | undefined,
): Promise<ImportJobRecord | Refused> {
  const id = params['job'] ?? '';
  const job = isJobId(id) ? await findJob(on, id, viewer) : undefined;
  return job ?? unknownJob();
}
